import API
import Model
import Service
import TestSupport
import Testing

@testable import Tree
@testable import Uploads

extension StoreCheckDamage {
    /// Damage of which one thing is found, and nothing else.
    static let single: [StoreCheckDamage] = [
        .init(.indexWrong, "the photo of a post is not found by its bytes") {
            try await $0.write([try await $0.indexEntry(of: $0.post): nil])
        },
        .init(.indexWrong, "the photos of a post are not found by their bytes") {
            try await $0.write([try await $0.indexEntry(of: $0.other): nil])
        },
        .init(.entryDangling, "bytes are said to be shown by a post that shows others") { store in
            let entry = try await store.indexEntry(of: store.post)
            try await store.write([FileNodes.content(store.maria, "abc" as TreeKey): try await store.tree.get(entry)])
        },
        .init(.counterWrong, "nothing says that the room of all files is counted") {
            try await $0.write([UsageNodes.version(): nil])
        },
        .init(.counterWrong, "the room that is kept for an unfinished object is not counted") { store in
            let object = ResumableObject(
                try #require(ObjectName("jan/b")), ObjectMetadata(), identity: .null, secret: "")
            let file = try await store.running.pipeline.objects.begin(object, of: store.jan.key, length: 12_345)
            try await store.write([
                UsageNodes.ofFile(store.jan.key, file.id.key): nil, UsageNodes.ofOwner() / store.jan.key: nil,
                UsageNodes.ofAll(): try await store.tree.get(UsageNodes.ofOwner() / store.maria.key),
            ])
        },
        misplaced("a file among the folders of people", "notes.txt"),
        misplaced("a hidden file among the folders of people", ".DS_Store"),
        misplaced("a folder that is nobody's", "my photos/-OaZzZzZzZzZzZzZzZzZ/original.jpg"),
        misplaced("a file among somebody's posts", "maria/notes.txt"),
        misplaced("a folder among somebody's posts that is no post", "maria/old/original.jpg"),
        .init(.fileMisplaced, "a file of a post with a name that is none of ours") { store in
            try store.running.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\(store.post)/my photo.jpg")
        },
        .init(.changesMissing, "a change is missing in the change log") { store in
            let last = try await store.tree.token.sequence
            try await store.tree.engine.write { transaction throws(TreeError) in
                let ends = [last - 3, last - 2].map { number in
                    var key = [StoreFormat.changeLogKeyspace]
                    key.appendBigEndian(number)
                    return key
                }
                try transaction.remove(ByteRange(from: ends[0], upTo: ends[1]))
            }
        },
    ]

    /// A file that lies in the blob store where none of the service can be.
    private static func misplaced(_ what: String, _ path: String) -> StoreCheckDamage {
        .init(.fileMisplaced, what) { try $0.running.scratch.write([1, 2, 3], to: "Storage/blobs/\(path)") }
    }
}

extension StoreCheckStore {
    /// The place of an upload's photos in the index of photos.
    func indexEntry(of id: PostID) async throws -> TreePath {
        try #require(try PhotoIndex.path(of: try await record(id)))
    }
}
