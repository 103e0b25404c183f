import TestSupport
import Testing

@testable import Tree

@Suite("Derivations are written, logged and reported together with their cause", .timeLimit(.minutes(20)))
struct DerivationTests {
    private static let likes = TreePattern("likes/*/*")
    private static let numbers = TreePattern("stats/*/likes")

    /// Derivations that count the likes of posts; a post with ten likes is popular, which only the service sees.
    private static let strata: [[any Derivation]] = [
        [Restored(numbers)], [NodeCounter(of: likes, at: numbers)], [Popular()],
    ]

    private struct Popular: Derivation {
        static let list = TreePath(["popular"], in: Namespace(reserved: "test"))
        let place = DerivationTests.numbers

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
            guard case .leaf(.integer(10...)) = node.after else {
                return [TreeWrite(path: Self.list / node.keys[0], value: nil)]
            }
            return [TreeWrite(path: Self.list / node.keys[0], value: true)]
        }
    }

    private func withStore(_ body: (TreeStore) async throws -> Void) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: Self.strata, isMaintained: false, minRowsOfLargeWrite: 50)
        try await body(store)
        await store.close()
    }

    /// Returns the numbers as a new count gives them.
    private func counted(_ store: TreeStore) async throws -> TreeValue? {
        guard let posts = try await store.get("likes")?.object else { return nil }
        return .object(posts.compactMapValues { $0.object.map { ["likes": .integer(Int64($0.count))] } })
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let writes: [String: TreeValue?]
        /// The expected value of `stats` afterwards.
        let stats: TreeValue?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a like", writes: ["likes/a/u3": 1], stats: ["a": ["likes": 3], "b": ["likes": 1]]),
        Case(name: "a like once more", writes: ["likes/a/u1": 5], stats: ["a": ["likes": 2], "b": ["likes": 1]]),
        Case(name: "no like more", writes: ["likes/a/u1": nil], stats: ["a": ["likes": 1], "b": ["likes": 1]]),
        Case(name: "what is not there", writes: ["likes/a/x": nil], stats: ["a": ["likes": 2], "b": ["likes": 1]]),
        Case(name: "the last like", writes: ["likes/b/u1": nil], stats: ["a": ["likes": 2]]),
        Case(
            name: "several in one update",
            writes: ["likes/a/u1": nil, "likes/a/u8": 1, "likes/a/u9": 1, "likes/c/u1": 1],
            stats: ["a": ["likes": 3], "b": ["likes": 1], "c": ["likes": 1]]),
        Case(name: "all of a post", writes: ["likes/a": nil], stats: ["b": ["likes": 1]]),
        Case(
            name: "others in their place", writes: ["likes/a": ["u2": 1, "u5": 1, "u6": 1]],
            stats: ["a": ["likes": 3], "b": ["likes": 1]]),
        Case(name: "all", writes: ["likes": nil], stats: nil),
        Case(name: "a leaf in their place", writes: ["likes": 5], stats: nil),
        Case(name: "everything", writes: ["": nil], stats: nil),
        Case(
            name: "an import with wrong numbers",
            writes: [
                "": ["likes": ["a": ["u1": 1], "z": ["u1": 1]], "stats": ["a": ["likes": 77], "y": ["likes": 5]]]
            ],
            stats: ["a": ["likes": 1], "z": ["likes": 1]]),
        Case(name: "a wrong number", writes: ["stats/a/likes": 99], stats: ["a": ["likes": 2], "b": ["likes": 1]]),
        Case(name: "no number", writes: ["stats": nil], stats: ["a": ["likes": 2], "b": ["likes": 1]]),
        Case(
            name: "an object as number", writes: ["stats/a/likes": ["x": 1]],
            stats: ["a": ["likes": 2], "b": ["likes": 1]]),
        Case(
            name: "a wrong number beside a like", writes: ["stats/a/likes": 99, "likes/a/u7": 1],
            stats: ["a": ["likes": 3], "b": ["likes": 1]]),
    ]

    @Test(arguments: cases)
    func counts(_ example: Case) async throws {
        try await withStore { store in
            try await store.set("likes", to: ["a": ["u1": 1, "u2": 1], "b": ["u1": 1]])
            #expect(try await store.get("stats") == ["a": ["likes": 2], "b": ["likes": 1]])
            var update = MultiPathUpdate()
            for (path, value) in example.writes { update[try TreePath(path)] = value }
            try await store.update(update)
            #expect(try await store.get("stats") == example.stats)
            try await expectLogIsTree(store)
        }
    }

    /// Replays the change log into another tree, and expects that the trees are equal.
    private func expectLogIsTree(_ store: TreeStore) async throws {
        let replica = try await TreeStore(engine: MemoryEngine(), isMaintained: false)
        for change in try await store.changes(since: .start, limit: 10_000) {
            var update = MultiPathUpdate()
            for write in change.writes { update[write.path] = write.value }
            try await replica.update(update)
        }
        #expect(try await replica.get(.root) == store.get(.root))
        await replica.close()
    }

    @Test("Concurrent likes are counted exactly, and the effects of the number are written")
    func atOnce() async throws {
        try await withStore { store in
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask { try await store.set(try TreePath("likes/a/u\(number % 50)"), to: .integer(1)) }
                }
                try await group.waitForAll()
            }
            #expect(try await store.get("stats/a/likes") == 50)
            #expect(try await store.get(Popular.list / "a") == true)
            for number in 0..<45 { try await store.set(try TreePath("likes/a/u\(number)"), to: nil) }
            #expect(try await store.get("stats/a/likes") == 5)
            #expect(try await store.get(Popular.list / "a") == nil)
        }
    }

    @Test("Cause and effect are one change in the log, at one position")
    func oneChange() async throws {
        try await withStore { store in
            try await store.set("likes/a/u1", to: 1)
            let changes = try await store.changes(since: .start, limit: 10)
            #expect(changes.count == 1)
            #expect(changes.first?.writes.map(\.path) == ["likes/a/u1", "stats/a/likes"])
            // The value is the same, so there is no change.
            try await store.set("likes/a/u1", to: 1)
            try await store.set("stats/a/likes", to: 1)
            #expect(try await store.changes(since: .start, limit: 10).count == 1)
        }
    }

    @Test("After random updates, the numbers equal a new count, and log and listeners have the tree")
    func random() async throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            try await withStore { store in
                var subscriptions: [(path: TreePath, Subscription)] = []
                for path in ["", "stats", "stats/p1", "stats/p1/likes", "likes", "likes/p1"] as [TreePath] {
                    subscriptions.append((path, try await store.subscribe(to: path, bufferLimit: 1000)))
                }
                for _ in 0..<60 {
                    var update = MultiPathUpdate()
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        let post = "p\(Int.random(in: 0..<4, using: &random))"
                        let user = "u\(Int.random(in: 0..<6, using: &random))"
                        let value: TreeValue? = Bool.random(using: &random) ? 1 : nil
                        switch Int.random(in: 0..<12, using: &random) {
                        case 0: update[try TreePath("likes/\(post)")] = value.map { _ in ["u1": 1, "u7": 1] }
                        case 1: update[try TreePath("stats/\(post)/likes")] = value.map { _ in 40 }
                        case 2:
                            update = MultiPathUpdate()
                            update["likes"] = value.map { _ in many }
                        case 3: update[try TreePath("stats/\(post)")] = value.map { _ in ["likes": 40] }
                        default: update[try TreePath("likes/\(post)/\(user)")] = value
                        }
                    }
                    do throws(TreeError) {
                        try await store.update(update)
                    } catch {
                        #expect(error.code == .conflictingPaths)
                    }
                    #expect(try await store.get("stats") == counted(store))
                }
                try await expectLogIsTree(store)
                let tree = NaiveTree(try await store.get(.root))
                await store.close()
                for (path, subscription) in subscriptions {
                    var replayed = NaiveTree(subscription.value)
                    for try await change in subscription { replayed.apply(change.writes) }
                    #expect(replayed.get("") == tree.get(path), "\(path)")
                }
            }
        }
    }

    /// A value with enough rows to be staged, if no derivation depended on it.
    private var many: TreeValue {
        .object([
            "p1": .object(
                Dictionary(uniqueKeysWithValues: (0..<80).map { (TreeKey(unchecked: "u\($0)"), TreeValue.integer(1)) }))
        ])
    }

    /// A derivation that removes the likes of unwelcome people.
    private struct Unwelcome: Derivation {
        let place = TreePattern("unwelcome/*/*")

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
            [TreeWrite(path: "likes" / node.keys[0] / node.keys[1], value: nil)]
        }
    }

    @Test("A node that arrives in a larger write and is removed by a derivation is not counted")
    func removedAtOnce() async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: [[Unwelcome()], [NodeCounter(of: Self.likes, at: Self.numbers)]],
            isMaintained: false)
        try await store.set("likes/a/u1", to: 1)
        var update = MultiPathUpdate()
        update["likes/a"] = ["u1": 1, "u2": 1, "u3": 1]
        update["unwelcome/a"] = ["u1": true, "u2": true]
        try await store.update(update)
        #expect(try await store.get("likes") == ["a": ["u3": 1]])
        #expect(try await store.get("stats/a/likes") == 1)
        await store.close()
    }

    @Test("Nodes that are overwritten, in any order, keep their values, and are not each compared with all others")
    func many() async throws {
        try await withStore { store in
            var update = MultiPathUpdate()
            for number in 0..<30_000 {
                update["likes" / TreeKey(unchecked: "p\(number % 100)") / TreeKey(unchecked: "u\(number)")] = ["at": 1]
            }
            for _ in 0..<2 {
                try await store.update(update)
                #expect(try await store.get("stats") == counted(store))
            }
            // In one update, the likes of one post are written as a whole and those of another one by one.
            var mixed = MultiPathUpdate()
            mixed["likes/p1"] = ["u1": 1, "u2": 1]
            for number in 0..<10 { mixed["likes" / "p0" / TreeKey(unchecked: "u\(number * 100)")] = nil }
            try await store.update(mixed)
            #expect(try await store.get("stats/p1/likes") == 2)
            #expect(try await store.get("stats") == counted(store))
        }
    }
}
