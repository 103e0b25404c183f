import API
import Access
import Concurrency
import Files
import Foundation
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

@Suite("The files of deleted posts", .timeLimit(.minutes(20)))
struct OrphanTests {
    /// Ways in which a post is deleted.
    enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case ours, multiPath, rawDelete, rawPatch, allPosts, wholeTree

        var testDescription: String { rawValue }

        func delete(_ record: UploadRecord, keeping other: PostID, of running: RunningPipeline) async throws {
            let tree = running.storage.tree
            var update = MultiPathUpdate()
            switch self {
            case .ours:
                _ = try await running.pipeline.publisher.deletePost(record.id, by: .admin)
                return
            case .multiPath:
                update[PeopleNodes.ownPost(record.owner) / record.id.key] = nil
                update[FeedNodes.entry(record.owner) / record.id.key] = nil
                update[PostNodes.post(record.id)] = nil
            case .rawDelete: update[PostNodes.post(record.id)] = nil
            case .rawPatch:
                for key in try await tree.keys(of: PostNodes.post(record.id)) {
                    update[PostNodes.post(record.id) / key] = nil
                }
            case .allPosts:
                update[PostNodes.post()] = .object([other.key: try #require(await tree.get(PostNodes.post(other)))])
            case .wholeTree:
                update[.root] = ["posts": .object([other.key: try #require(await tree.get(PostNodes.post(other)))])]
            }
            try await tree.update(update)
        }
    }

    @Test("Only the deleted post's files are deleted when the grace period ends", arguments: Way.allCases)
    func deleted(_ way: Way) async throws {
        try await withPipeline { running in
            let (storage, pipeline) = (running.storage, running.pipeline)
            var records: [UploadRecord] = []
            for text in ["#one", "#two"] {
                let photo = (name: "a.png", bytes: try Fixture.bytes("rgb-8.png"))
                records.append(try await running.upload([photo], by: "maria", text: text))
            }
            let (gone, kept) = (records[0], records[1])
            try await way.delete(gone, keeping: kept.id, of: running)

            try await pipeline.janitor.sweep()
            #expect(try await files(of: gone, in: storage).count > 1, "a reader of the post still sees its pictures")
            #expect(try await pipeline.unclaimed.list().isEmpty, "a deletion explains them")

            // The grace period ends.
            try await storage.tree.set(FileNodes.deleted(gone.id), to: 0)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: gone, in: storage).isEmpty)
            #expect(try await storage.tree.get(FileNodes.deleted(gone.id)) == nil)
            #expect(try await pipeline.store.record(of: gone.id)?.state == .deleted)
            for place in [PeopleNodes.ownPost(gone.owner), FeedNodes.entry(gone.owner), "hashtags/one"] {
                #expect(try await storage.tree.get(place / gone.id.key) == nil, "\(place)")
            }
            #expect(try await files(of: kept, in: storage).count > 1)
        }
    }

    @Test("Files of a deleted post are deleted when work on them has ended, so that no file is left behind")
    func sweptAfterWork() async throws {
        try await withPipeline { running in
            let (pipeline, storage) = (running.pipeline, running.storage)
            let record = try await running.upload([("a.png", try Fixture.bytes("rgb-8.png"))], by: "maria")
            try await pipeline.garbage.locks.withLease(record.id) {
                // A job has read the post before it was deleted, and writes its file now.
                _ = try await pipeline.publisher.deletePost(record.id, by: .admin)
                try await storage.tree.set(FileNodes.deleted(record.id), to: 0)
                try await pipeline.janitor.sweep()
                try await storage.blobs.put([(try record.blobName("original-q20-0.jpg"), [1])])
            }
            try await pipeline.janitor.sweep()
            #expect(try await storage.blobs.postIDs(userID: "maria").isEmpty)
            #expect(try await pipeline.unclaimed.list().isEmpty)
            #expect(try await storage.tree.get(FileNodes.deleted(record.id)) == nil)
        }
    }

    @Test("A post that is written again in time keeps its files")
    func undeleted() async throws {
        try await withPipeline { running in
            let storage = running.storage
            let id = try await running.accept("rgb-8.png", by: "maria")
            let record = try await running.pipeline.store.end(of: id)
            let post = try await storage.tree.get(PostNodes.post(id))
            try await storage.tree.set(PostNodes.post(id), to: nil)
            try await storage.tree.set(PostNodes.post(id), to: post)
            try await storage.tree.set(FileNodes.deleted(id), to: 0)
            try await running.pipeline.janitor.sweep()
            #expect(try await files(of: record, in: storage).count > 1)
            #expect(try await storage.tree.get(FileNodes.deleted(id)) == nil)
        }
    }

    /// The node at the id of a deleted post when its grace period ends.
    enum Successor: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case flag, nobodysPost, ownPostWithoutPhoto

        var testDescription: String { rawValue }

        /// Writes over the remains of the former post.
        func write(over post: TreeValue, at path: TreePath, in tree: TreeStore) async throws {
            try await tree.set(path, to: ["moderated": true])
            switch self {
            case .flag: break
            // It names the photo as its author did.
            case .nobodysPost:
                try await tree.set(path, to: post)
                try await tree.set(path / "author", to: nil)
            case .ownPostWithoutPhoto:
                // With the author's name: a job adds it where it is missing.
                try await tree.set(path, to: ["timestamp": 1, "text": "#sea"])
                try await tree.set(path / "author", to: post["author"])
            }
        }
    }

    @Test(
        "A node at the id without a right to the files does not keep them, and stays itself",
        arguments: Successor.allCases)
    func succeeded(_ successor: Successor) async throws {
        try await withPipeline { running in
            let (tree, pipeline) = (running.storage.tree, running.pipeline)
            let photo = (name: "a.png", bytes: try Fixture.bytes("rgb-8.png"))
            let record = try await running.upload([photo], by: "maria", text: "#sea")
            let path = PostNodes.post(record.id)
            let post = try #require(try await tree.get(path))
            _ = try await pipeline.publisher.deletePost(record.id, by: .admin)
            try await successor.write(over: post, at: path, in: tree)
            let written = try await tree.get(path)
            let isListed = try await tree.get(PostNodes.tagged("sea" as TreeKey) / record.id.key)
            try await tree.set(FileNodes.deleted(record.id), to: 0)
            try await pipeline.janitor.sweep()
            #expect(try await files(of: record, in: running.storage).isEmpty)
            #expect(try await tree.get(FileNodes.deleted(record.id)) == nil)
            let left = try await tree.get(path)
            #expect(left == written, "\(String(describing: left)), not \(String(describing: written))")
            #expect(try await tree.get(PostNodes.tagged("sea" as TreeKey) / record.id.key) == isListed)
        }
    }

    @Test("A post at the id of another user's upload is refused, and no part of such an update is written")
    func usedID() async throws {
        try await withPipeline { running in
            let tree = running.storage.tree
            let record = try await running.upload([("a.png", try Fixture.bytes("rgb-8.png"))], by: "maria")
            let key = record.id.key
            let post = try await tree.get(PostNodes.post(record.id))
            for posts in [PostNodes.post(), AudienceNodes.post()] {
                await #expect(throws: TreeError.self, "\(posts), while the post is there") {
                    try await tree.set(posts / key / "author" / "uid", to: "eve")
                }
            }
            #expect(try await tree.get(PostNodes.post(record.id)) == post)
            _ = try await running.pipeline.publisher.deletePost(record.id, by: .admin)
            for posts in [PostNodes.post(), AudienceNodes.post()] {
                // A post without an author has no owner, and gets none.
                try await tree.set(posts / key, to: ["moderated": true])
                for path in [posts / key, posts] {
                    var update = MultiPathUpdate()
                    let eves: TreeValue = ["author": ["uid": "eve"], "timestamp": 1, "text": "#mine"]
                    update[path] = path == posts ? .object([key: eves]) : eves
                    update["people/eve/posts" / key] = true
                    update["comments" / key / "c1"] = ["author": ["uid": "eve"], "timestamp": 1, "text": "Mine"]
                    update["likes" / key / "eve"] = 1
                    let error = await #expect(throws: TreeError.self) { try await tree.update(update) }
                    #expect(error?.code == .invalidValue && error?.path == posts / key / "author" / "uid")
                    for place: TreePath in ["people/eve/posts", "feed/eve", "hashtags/mine", "comments", "likes"] {
                        #expect(try await tree.get(place / key) == nil, "\(place)")
                    }
                }
                #expect(try await tree.get(posts / key) == ["moderated": true])
                try await tree.set(posts / key, to: nil)
            }
            // Comments alone are deleted again.
            try await tree.set("comments" / key / "c1", to: ["author": ["uid": "eve"], "timestamp": 1, "text": "Mine"])
            try await tree.set("likes" / key / "eve", to: 1)
            for place: TreePath in ["comments", "likes"] { #expect(try await tree.get(place / key) == nil, "\(place)") }
            // The owner of the upload may write it.
            try await tree.set(PostNodes.post(record.id), to: post)
            #expect(try await tree.get(PostNodes.post(record.id)) == post)
        }
    }

    @Test("Uploads that will be published or put aside are not unclaimed")
    func unfinished() async throws {
        try await withPipeline(runs: false) { running in
            _ = try await running.accept("rgb-8.png", by: "maria")
            #expect(try await running.pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("Files unknown to the tree are kept and listed, and only these are deleted when an operator demands it")
    func unclaimed() async throws {
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let (storage, pipeline) = (running.storage, running.pipeline)
            let id = try await running.accept("rgb-8.png", by: "maria")
            let claimed = try await pipeline.store.end(of: id)
            let lost = "-OaBcDeFgHiJkLmNoPqR"
            try running.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\(lost)/original.jpg")
            try await pipeline.janitor.sweep()
            try await pipeline.unclaimed.look()
            let listed = try await pipeline.unclaimed.list()
            #expect(listed.map { "\($0.owner)/\($0.post) \($0.files) \($0.bytes)" } == ["maria/\(lost) 1 3"])
            #expect(try await pipeline.report.status().unclaimed == 1)

            await #expect(throws: Failure.self) { try await pipeline.unclaimed.remove(id, of: "maria") }
            #expect(try await files(of: claimed, in: storage).count > 1)
            try await pipeline.unclaimed.remove(try #require(PostID(lost)), of: "maria")
            #expect(try await pipeline.unclaimed.list().isEmpty)
            #expect(!running.scratch.exists("Storage/blobs/maria/\(lost)"))
        }
    }

    @Test("The commit lists renditions of an earlier attempt with other recipes as garbage")
    func leftovers() async throws {
        try await withPipeline { running in
            let storage = running.storage
            let stale = "Storage/blobs/maria"
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.text = "x"
            let record = try await running.reserve(request)
            var session = running.pipeline.receiver.resume(record)
            try await session.receive(try Fixture.bytes("rgb-8.png"), named: "a.png")
            try running.scratch.write([1], to: "\(stale)/\(record.id)/full-00000000.jpg")
            _ = try await session.accept(text: "x")
            _ = try await running.pipeline.store.end(of: record.id)
            let garbage = try await storage.tree.children(of: FileNodes.garbage())
            #expect(garbage.count == 1)
            #expect(
                garbage.first?.value["blobs"]?.object?.values.compactMap(\.stringValue)
                    == ["maria/\(record.id)/full-00000000.jpg"])
        }
    }

    private func files(of record: UploadRecord, in storage: StorageFolder) async throws -> [String] {
        try await storage.blobs.fileNames(userID: record.owner.description, postID: record.id.description)
    }
}
