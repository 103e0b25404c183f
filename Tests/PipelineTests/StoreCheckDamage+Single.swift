import API
import Model
import Service
import TestSupport
import Testing

@testable import Tree
@testable import Uploads

extension StoreCheckDamage {
    /// Damage with exactly one finding.
    static let single: [StoreCheckDamage] = [
        .init(.indexWrong, "the photo of a post is not found by its bytes") {
            try await $0.write([try await $0.indexEntry(of: $0.post): nil])
        },
        .init(.indexWrong, "the photos of a post are not found by their bytes") {
            try await $0.write([try await $0.indexEntry(of: $0.other): nil])
        },
        .init(.entryDangling, "the index lists bytes under a post that shows others") { store in
            let entry = try await store.indexEntry(of: store.post)
            try await store.write([FileNodes.content(store.maria, "abc" as TreeKey): try await store.tree.get(entry)])
        },
        .init(.counterWrong, "the mark that all files are counted is missing") {
            try await $0.write([UsageNodes.version(): nil])
        },
        .init(.counterWrong, "the reserved space of an unfinished object is not counted") { store in
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
        misplaced("a folder without an owner", "my photos/-OaZzZzZzZzZzZzZzZzZ/original.jpg"),
        misplaced("a file among a user's posts", "maria/notes.txt"),
        misplaced("a folder among a user's posts that is not a post", "maria/old/original.jpg"),
        .init(.fileMisplaced, "a file of a post with an unknown name") { store in
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

    /// A file in the blob store at a path that the service never uses.
    private static func misplaced(_ what: String, _ path: String) -> StoreCheckDamage {
        .init(.fileMisplaced, what) { try $0.running.scratch.write([1, 2, 3], to: "Storage/blobs/\(path)") }
    }
}

extension StoreCheckStore {
    /// Returns the path of an upload's photos in the index of photos.
    func indexEntry(of id: PostID) async throws -> TreePath {
        try #require(try PhotoIndex.path(of: try await record(id)))
    }
}
