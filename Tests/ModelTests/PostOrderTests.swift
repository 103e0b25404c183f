import Model
import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite("The order of publication is derived in the commit, for every writer")
struct PostOrderTests {
    private static func post(by uid: String, _ text: String = "x") -> TreeValue {
        ["timestamp": 1, "text": .string(text), "author": ["uid": .string(uid)]]
    }

    private func withStore(
        clock: @escaping @Sendable () -> Timestamp = { 1000 }, _ body: (TreeStore) async throws -> Void
    ) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: [[PostOrder()]], isMaintained: false, minRowsOfLargeWrite: 50,
            clock: clock)
        try await body(store)
        try await Self.expectConsistent(store)
        await store.close()
    }

    /// Returns the ids of all posts, or of one author's posts, newest first.
    private func ids(_ store: TreeStore, by author: String? = nil) async throws -> [String] {
        let list = try author.map { PostNodes.publishedBy(try #require(UserID($0))) } ?? PostNodes.published()
        return try await store.children(of: list, order: .descending).compactMap { ListedPost($0)?.id.string }
    }

    /// Expects that the list of all posts and the author's list contain each child of `posts/` once, and nothing else.
    private static func expectConsistent(_ store: TreeStore, _ comment: Comment? = nil) async throws {
        let (posts, order) = try await store.snapshot { snapshot in
            (try snapshot.children(of: PostNodes.post()), try snapshot.get(TreePath([], in: .social)))
        }
        var all: [String: String] = [:]
        var published: Set<String> = []
        var tagged: Set<String> = []
        for post in posts {
            let entry =
                order?["positions"]?[post.key]?.stringValue?.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init) ?? []
            let position = try #require(entry.first, "\(post.key) has no position")
            let author = post.value["author"]?["uid"]?.stringValue.flatMap { UserID($0) }
            all[position] = "\(post.key)/\(author?.description ?? "")"
            #expect(entry.dropFirst().first ?? "" == author?.description ?? "", comment)
            for tag in Hashtags.tags(in: post.value["text"]?.stringValue ?? "") {
                tagged.insert("\(tag)/\(position)/\(post.key)")
            }
            if let author { published.insert("\(author)/\(position)/\(post.key)") }
        }
        let listed = order?["all"]?.object ?? [:]
        #expect(all.count == posts.count, comment)
        #expect(Dictionary(uniqueKeysWithValues: listed.map { ($0.string, $1.stringValue ?? "") }) == all, comment)
        #expect((order?["positions"]?.object ?? [:]).count == posts.count, comment)
        for (name, expected) in [("published" as TreeKey, published), ("tagged", tagged)] {
            var found: Set<String> = []
            for (key, list) in order?[name]?.object ?? [:] {
                for (position, id) in list.object ?? [:] { found.insert("\(key)/\(position)/\(id.stringValue ?? "")") }
            }
            #expect(found == expected, comment)
        }
    }

    @Test("B28: Posts are in the order of their commits, not of their ids; posts of one commit are in id order")
    func order() async throws {
        try await withStore { store in
            try await store.set("posts/m", to: Self.post(by: "maria"))
            try await store.set("posts/a", to: Self.post(by: "ann"))
            var update = MultiPathUpdate()
            update["posts/z"] = Self.post(by: "maria")
            update["posts/b"] = Self.post(by: "maria")
            update["posts/7"] = "junk"
            try await store.update(update)
            #expect(try await ids(store) == ["z", "b", "7", "a", "m"])
            #expect(try await ids(store, by: "maria") == ["z", "b", "m"])
            #expect(try await ids(store, by: "ann") == ["a"])
        }
    }

    @Test(
        "A change has the expected effect on the order",
        arguments: [
            (["posts/a": nil], ["c", "b"], ["c"]), (["posts/a/text": "new"], ["c", "b", "a"], ["c", "a"]),
            (["posts/a": post(by: "maria", "again")], ["c", "b", "a"], ["c", "a"]),
            (["posts/a/author/uid": "ann"], ["a", "c", "b"], ["c"]),
            // A reader of maria's posts has not seen this one.
            (["posts/b/author/uid": "maria"], ["b", "c", "a"], ["b", "c", "a"]),
            (["posts/a/author": nil], ["c", "b", "a"], ["c"]), (["posts/a": "junk"], ["c", "b", "a"], ["c"]),
            (["posts/a/author/uid": "no/id"], ["c", "b", "a"], ["c"]),
            (["posts": nil], [], []), (["": nil], [], []), (["posts": 5], [], []), (["": "leaf"], [], []),
            (["posts": ["b": post(by: "maria"), "a2": post(by: "maria")]], ["b", "a2"], ["b", "a2"]),
            (
                ["": ["posts": ["a": post(by: "maria"), "c2": post(by: "maria"), "b2": post(by: "ann")]]],
                ["c2", "b2", "a"], ["c2", "a"]
            ),
            (["posts/d/e/f": 1], ["d", "c", "b", "a"], ["c", "a"]), (["people": 5], ["c", "b", "a"], ["c", "a"]),
            (["posts/a": nil, "posts/d": post(by: "maria"), "posts2/x": 1], ["d", "c", "b"], ["d", "c"]),
        ] as [([String: TreeValue?], [String], [String])])
    func change(writes: [String: TreeValue?], all: [String], marias: [String]) async throws {
        try await withStore { store in
            for (id, uid) in [("a", "maria"), ("b", "ann"), ("c", "maria")] {
                try await store.set(PostNodes.post() / TreeKey(id), to: Self.post(by: uid))
            }
            let before = try await store.token
            var update = MultiPathUpdate()
            for (path, value) in writes { update[try TreePath(path)] = value }
            try await store.update(update)
            #expect(try await ids(store) == all)
            #expect(try await ids(store, by: "maria") == marias)
            let changes = try await store.changes(since: before, limit: 10)
            #expect(changes.allSatisfy { $0.writes.allSatisfy { $0.path.namespace == .main } }, "nobody is told of it")
        }
    }

    @Test("Posts of a store without an order get separate positions when one update changes several of them")
    func unordered() async throws {
        let engine = MemoryEngine()
        let names: [TreeKey] = ["a", "b", "c"]
        let earlier = try await TreeStore(engine: engine, isMaintained: false)
        for id in names { try await earlier.set(PostNodes.post() / id, to: Self.post(by: "maria")) }
        let store = try await TreeStore(engine: engine, derivations: [[PostOrder()]], isMaintained: false)
        var update = MultiPathUpdate()
        for id in names { update[PostNodes.post() / id / "author" / "full_name"] = "Maria" }
        try await store.update(update)
        #expect(try await ids(store) == ["c", "b", "a"])
        try await Self.expectConsistent(store)
        await store.close()
    }

    @Test("A refused update leaves the order unchanged; a post that is deleted and created again is the newest")
    func refusedAndBack() async throws {
        try await withStore { store in
            for id in ["a", "b"] as [TreeKey] { try await store.set(PostNodes.post() / id, to: Self.post(by: "maria")) }
            await #expect(throws: TreeError.self) { try await store.set("posts/c", to: 1, if: [.exists("nothing")]) }
            try await store.set("posts/a", to: nil)
            #expect(try await ids(store) == ["b"])
            try await store.set("posts/a", to: Self.post(by: "maria"))
            #expect(try await ids(store) == ["a", "b"])
        }
    }

    @Test("A post whose time to live is over is removed from the order")
    func expired() async throws {
        let clock = Clock()
        try await withStore(clock: { clock.now }) { store in
            try await store.setRules(#"{"rules": {"posts": {"$id": {".ttl": 60}}}}"#)
            for id in ["a", "b"] as [TreeKey] {
                try await store.set(PostNodes.post() / id, to: Self.post(by: "maria"))
                clock.advance(40_000)
            }
            while try await store.maintenance.pass() == .work {}
            #expect(try await ids(store) == ["b"])
        }
    }

    @Test("A post and an import that are too large for one piece have their positions, too")
    func large() async throws {
        try await withStore { store in
            var fields: [TreeKey: TreeValue] = ["author": ["uid": "maria"]]
            for number in 0..<100 { fields[TreeKey(unchecked: "f\(number)")] = .integer(Int64(number)) }
            try await store.set("posts/a", to: .object(fields))
            try await store.set("posts/b", to: Self.post(by: "maria"))
            #expect(try await ids(store, by: "maria") == ["b", "a"])
            try await store.set(.root, to: ["posts": ["b": .object(fields), "c": .object(fields)]])
            #expect(try await ids(store, by: "maria") == ["c", "b"])
        }
    }

    @Test("Each post has one position, whatever is written in whatever groups")
    func random() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<6 {
                    tasks.addTask {
                        var random = Generator(state: seed &+ UInt64(writer))
                        for _ in 0..<60 { try await store.update(random.update()) }
                    }
                }
                try await tasks.waitForAll()
            }
            try await Self.expectConsistent(store, "seed \(seed)")
        }
    }

    /// A generator of updates that write posts at any depth.
    private struct Generator {
        var state: UInt64

        private mutating func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }

        mutating func update() -> MultiPathUpdate {
            var update = MultiPathUpdate()
            let ids = ["a", "b", "c", "9", "d"].map { PostNodes.post() / TreeKey(unchecked: $0) }
            let uids = ["maria", "ann", "a.b"]
            switch next(12) {
            case 0: update[.root] = ["posts": ["a": PostOrderTests.post(by: "ann"), "e": true], "x": 1]
            case 1: update[PostNodes.post()] = next(2) == 0 ? nil : ["b": PostOrderTests.post(by: "maria"), "c": 1]
            case 2: update[ids[next(5)]] = nil
            case 3: update[ids[next(5)] / "author" / "uid"] = .string(uids[next(3)])
            case 4: update[ids[next(5)] / "author"] = nil
            case 5: update[ids[next(5)] / "text"] = next(2) == 0 ? nil : "#sun #Sea, #sun"
            default:
                for _ in 0...next(3) { update[ids[next(5)]] = PostOrderTests.post(by: uids[next(3)]) }
            }
            return update
        }
    }
}

/// A clock that a test advances.
private final class Clock: Sendable {
    private let time = Mutex<Timestamp>(1_700_000_000_000)

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ milliseconds: Int64) { time.withLock { $0 = $0 + .milliseconds(milliseconds) } }
}
