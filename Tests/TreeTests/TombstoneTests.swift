import TestSupport
import Testing

@testable import Tree

@Suite("A deletion is recorded in its own transaction, for every writer")
struct TombstoneTests {
    private static let place = TreePath(["gone"], in: Namespace(reserved: "own"))

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let writes: [String: TreeValue?]
        /// The children of `posts` that have a tombstone afterwards.
        let recorded: [String]
        var testDescription: String { name }
    }

    static let before: TreeValue = [
        "posts": [
            "a": ["text": "A", "photos": ["0": "p"]], "b": ["text": "B"], "c": "no object",
        ],
        "posts2": ["z": true], "feed": ["maria": ["a": true]],
    ]

    static let cases = [
        Case(name: "the child", writes: ["posts/a": nil], recorded: ["a"]),
        Case(name: "a leaf as child", writes: ["posts/c": nil], recorded: ["c"]),
        Case(
            name: "all that is in it, at once", writes: ["posts/a/text": nil, "posts/a/photos": nil], recorded: ["a"]),
        Case(name: "the only thing that is in it", writes: ["posts/b/text": nil], recorded: ["b"]),
        Case(name: "one of two things in it", writes: ["posts/a/text": nil], recorded: []),
        Case(
            name: "all it has, while it gets something else", writes: ["posts/b/text": nil, "posts/b/x": 1],
            recorded: []),
        Case(name: "what is not there", writes: ["posts/x": nil, "posts/a/x": nil], recorded: []),
        Case(name: "the node", writes: ["posts": nil], recorded: ["a", "b", "c"]),
        Case(name: "everything", writes: ["": nil], recorded: ["a", "b", "c"]),
        Case(
            name: "the node, by others", writes: ["posts": ["b": ["text": "other"], "d": true]], recorded: ["a", "c"]),
        Case(name: "the node, by a leaf", writes: ["posts": 5], recorded: ["a", "b", "c"]),
        Case(
            name: "everything, by an import", writes: ["": ["posts": ["a": true], "people": ["x": true]]],
            recorded: ["b", "c"]),
        Case(name: "other places", writes: ["posts2": nil, "feed/maria/a": nil], recorded: []),
        Case(name: "a child replaced", writes: ["posts/a": ["text": "new"]], recorded: []),
        Case(
            name: "several places at once", writes: ["posts/a": nil, "posts/b": nil, "feed/maria/a": nil],
            recorded: ["a", "b"]),
    ]

    private func withStore(
        clock: @escaping @Sendable () -> Timestamp = { 1000 }, _ body: (TreeStore) async throws -> Void
    ) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), derivations: [[Tombstones(of: "posts", at: Self.place)]], isMaintained: false,
            clock: clock)
        try await store.set(.root, to: Self.before)
        try await body(store)
        await store.close()
    }

    @Test(arguments: cases)
    func recorded(_ example: Case) async throws {
        try await withStore { store in
            var update = MultiPathUpdate()
            for (path, value) in example.writes { update[try TreePath(path)] = value }
            try await store.update(update)
            let expected = try Dictionary(
                uniqueKeysWithValues: example.recorded.map { (try TreeKey($0), TreeValue.integer(1000)) })
            #expect(try await store.get(Self.place) == (expected.isEmpty ? nil : .object(expected)))
            let changes = try await store.changes(since: .start, limit: 100)
            #expect(changes.allSatisfy { $0.writes.allSatisfy { $0.path.namespace == .main } })
        }
    }

    @Test("A refused update records nothing")
    func refused() async throws {
        try await withStore { store in
            await expectCode(.preconditionFailed) {
                try await store.set("posts/a", to: nil, if: [.absent("posts/b")])
            }
            let recorded = try await store.get(Self.place)
            #expect(recorded == nil)
        }
    }

    @Test("A node that is created again keeps its tombstone until it is removed; the next deletion sets a new time")
    func again() async throws {
        let clock = ExpiryTests.HandClock()
        try await withStore(clock: { clock.now }) { store in
            try await store.set("posts/a", to: nil)
            #expect(try await store.get(Self.place / "a") == clock.now.value)
            clock.advance(seconds: 1)
            try await store.set("posts/a", to: true)
            #expect(try await store.get(Self.place / "a") == (clock.now - .seconds(1)).value)
            try await store.set("posts/a", to: nil)
            #expect(try await store.get(Self.place / "a") == clock.now.value)
        }
    }

    @Test("An expired time to live leaves a tombstone, too")
    func expired() async throws {
        let clock = ExpiryTests.HandClock()
        try await withStore(clock: { clock.now }) { store in
            try await store.setRules(#"{"rules": {"posts": {"$id": {".ttl": 60}}}}"#)
            try await store.set("posts/a/text", to: "late")
            clock.advance(seconds: 61)
            try await store.finishMaintenance()
            #expect(try await store.get("posts/a") == nil)
            #expect(try await store.get(Self.place / "a") == clock.now.value)
        }
    }
}
