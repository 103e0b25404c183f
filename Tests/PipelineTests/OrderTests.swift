import API
import Access
import Foundation
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Posts are in the order of their publication")
struct OrderTests {
    private func ids(_ storage: StorageFolder, by user: String? = nil) async throws -> [PostID] {
        let list = user.flatMap { UserID($0) }.map { PostNodes.publishedBy($0) } ?? PostNodes.published()
        let page = try await PostReader(storage.tree).page(of: list, before: nil, limit: 200)
        return page.items.compactMap { PostID($0.id.string) }
    }

    @Test("A draft that was begun early and sent late is the newest, and a reader of the others does not miss it")
    func draft() async throws {
        try await withPipeline { running in
            var request = UploadRequest(owner: try #require(UserID("maria")), intake: .socket)
            request.isDraft = true
            let draft = try await running.reserve(request)
            let first = try await running.upload([], by: "maria", text: "first")
            let mark = try await PostReader(running.storage.tree).page(of: PostNodes.published(), before: nil, limit: 1)
                .token
            try await running.pipeline.store.drafts.publish(draft.id, text: "late")
            _ = try await running.pipeline.store.end(of: draft.id)
            #expect(draft.id < first.id)
            #expect(try await ids(running.storage) == [draft.id, first.id])
            #expect(try await ids(running.storage, by: "maria") == [draft.id, first.id])
            let begin = try #require(mark)
            let later = try await running.storage.tree.snapshot {
                try $0.changes(since: begin, at: [PostNodes.post()]).changes.flatMap { $0.compactMap { $0 } }
            }
            #expect(later.flatMap { $0.writes.map(\.path.description) } == ["/\(draft.id)"])
            // The record has its position.
            let published = try await running.storage.tree.get(PostNodes.post(draft.id) / "published")?.integerValue
            #expect(published == later.first.map { Int64($0.token.sequence) })
        }
    }

    @Test("B28: A clock that is put back, also over a restart, does not change the order")
    func clock() async throws {
        try await withScratch { scratch in
            var expected: [PostID] = []
            for _ in 0..<2 {
                let sent = Shared<[PostID]>([])
                try await withPipeline(in: scratch) { running in
                    for text in ["a", "b"] {
                        let record = try await running.upload([], by: "maria", text: text)
                        sent.change { $0.append(record.id) }
                        running.clock.advance(by: -3_600_000)
                    }
                    let all = try await ids(running.storage)
                    #expect(Array(all.prefix(sent.value.count)) == sent.value.reversed())
                }
                expected = sent.value.reversed() + expected
            }
            try await withPipeline(in: scratch) { [expected] running in
                let listed = try await ids(running.storage)
                #expect(listed == expected)
            }
        }
    }

    @Test("A post leaves the order on its deletion, whichever way it is deleted")
    func deleted() async throws {
        try await withPipeline { running in
            var posts: [PostID] = []
            for text in ["a", "b", "c"] { posts.append(try await running.upload([], by: "maria", text: text).id) }
            _ = try await running.pipeline.publisher.deletePost(posts[0], by: .admin)
            try await running.storage.tree.set(PostNodes.post(posts[2]), to: nil)
            for user in [nil, "maria"] {
                let listed = try await ids(running.storage, by: user)
                #expect(listed == [posts[1]])
            }
            let order = try await running.storage.tree.get(TreePath([], in: .social))
            let placed = order?["positions"]?.object ?? [:]
            #expect(Array(placed.keys) == [posts[1].key])
        }
    }
}

@Suite("The first start adds posts of earlier versions to the order of publication by their ids")
struct OrderMigrationTests {
    /// Creates a tree as an earlier version left it: posts without derived data.
    private func makeEarlierTree(in scratch: Scratch, ids: [String]) async throws {
        try FileManager.default.createDirectory(atPath: scratch.path + "/Storage", withIntermediateDirectories: true)
        let tree = try await TreeStore(engine: try SQLiteEngine(path: scratch.path + "/Storage/tree.sqlite"))
        try await publish(ids, in: tree)
        await tree.close()
    }

    private func publish(_ ids: [String], in tree: TreeStore) async throws {
        for id in ids {
            try await tree.set(
                PostNodes.post() / TreeKey(id),
                to: ["timestamp": 1, "author": ["uid": .string(id.hashValue % 2 == 0 ? "ann" : "maria")]])
        }
    }

    /// Performs the steps of a service's start, and returns the order.
    private func order(_ scratch: Scratch) async throws -> [String] {
        let storage = try await StorageFolder.open(path: scratch.path + "/Storage")
        let page = try await PostReader(storage.tree).page(of: PostNodes.published(), before: nil, limit: 5000)
        await storage.close()
        return page.items.map(\.id.string)
    }

    private static let ids = (0..<1234).map { String(format: "-P%018d", $0) }

    @Test("All posts are added, in batches; a second start does nothing; new posts follow them")
    func once() async throws {
        try await withScratch { scratch in
            try await makeEarlierTree(in: scratch, ids: Self.ids.shuffled())
            #expect(try await order(scratch) == Self.ids.reversed())
            let storage = try await StorageFolder.open(path: scratch.path + "/Storage")
            let positions = try await storage.tree.get(PostNodes.position())
            try await publish(["-A"], in: storage.tree)
            await storage.close()
            #expect(try await order(scratch) == ["-A"] + Self.ids.reversed())
            let again = try await StorageFolder.open(path: scratch.path + "/Storage")
            var now = try await again.tree.get(PostNodes.position())?.object
            now?["-A"] = nil
            #expect(now.map(TreeValue.object) == positions)
            await again.close()
        }
    }

    @Test("The next start continues one that was killed in the middle")
    func killed() async throws {
        try await withScratch { scratch in
            try await makeEarlierTree(in: scratch, ids: Self.ids)
            let path = scratch.path + "/Storage"
            // The writes of the first batch, after which the process ended.
            let tree = try await TreeStore(engine: try SQLiteEngine(path: path + "/tree.sqlite"))
            try await tree.transact { snapshot, update in
                for (number, id) in try snapshot.keys(of: PostNodes.post(), limit: 500).enumerated() {
                    let position = PostPosition(sequence: try snapshot.token.sequence + 1, number: number)
                    for write in try PostOrder.writes(for: id, isThere: true, at: position, in: snapshot) {
                        update[write.path] = write.value
                    }
                }
            }
            let seventh = PostNodes.position(try TreeKey(Self.ids[7]))
            let first = try await tree.get(seventh)
            await tree.close()
            #expect(try await order(scratch) == Self.ids.reversed())
            let storage = try await StorageFolder.open(path: path)
            #expect(try await storage.tree.get(seventh) == first)
            await storage.close()
        }
    }

    @Test("Changes by a version that does not maintain the order are repaired")
    func earlierVersionBetween() async throws {
        try await withScratch { scratch in
            try await makeEarlierTree(in: scratch, ids: ["-P1", "-P2", "-P3"])
            #expect(try await order(scratch) == ["-P3", "-P2", "-P1"])
            // Version 0.1 replaces its record as a whole at each start.
            let tree = try await TreeStore(engine: try SQLiteEngine(path: scratch.path + "/Storage/tree.sqlite"))
            let record = TreePath(["store"], in: .pipeline)
            let old = try #require(try await tree.get(record))
            try await tree.set(
                record, to: ["id": old["id"] ?? "", "counter": old["counter"] ?? 1, "last_id": old["last_id"] ?? ""])
            try await tree.set("posts/-P2", to: nil)
            try await publish(["-P0", "-P4"], in: tree)
            await tree.close()
            #expect(try await order(scratch) == ["-P4", "-P0", "-P3", "-P1"])
        }
    }

    @Test("Authors and hashtags that an earlier version's order lacks are added, and positions stay")
    func earlierOrder() async throws {
        try await withScratch { scratch in
            try await makeEarlierTree(in: scratch, ids: ["-P1", "-P2"])
            _ = try await order(scratch)
            let tree = try await TreeStore(engine: try SQLiteEngine(path: scratch.path + "/Storage/tree.sqlite"))
            try await tree.set("posts/-P1/text", to: "#sun")
            let rows = try await tree.children(of: PostNodes.published())
            for row in rows {
                let id = row.value.stringValue?.prefix { $0 != "/" } ?? ""
                try await tree.set(PostNodes.published() / row.key, to: .string(String(id)))
            }
            try await tree.set(TreePath(["store", "posts_ordered"], in: .pipeline), to: true)
            await tree.close()
            #expect(try await order(scratch) == ["-P2", "-P1"])
            let storage = try await StorageFolder.open(path: scratch.path + "/Storage")
            #expect(try await storage.tree.children(of: PostNodes.published()) == rows)
            #expect(
                try await storage.tree.children(of: PostNodes.taggedInOrder("sun" as TreeKey)).map(\.value) == ["-P1"])
            await storage.close()
        }
    }
}
