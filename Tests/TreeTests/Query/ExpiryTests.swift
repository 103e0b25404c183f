import Synchronization
import Testing

@testable import Tree

@Suite struct ExpiryTests {
    /// A clock that is set by hand.
    final class HandClock: Sendable {
        private let milliseconds = Atomic<Int64>(1_000_000)

        var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }
        func advance(seconds: Int64) { milliseconds.add(seconds * 1000, ordering: .relaxed) }
    }

    static let rules = #"""
        { "rules": { "sessions": { "$id": { ".ttl": 60 }, "forever": {} }, "rooms": { "$r": { "typing": { ".ttl": 10 } } } } }
        """#

    private func withClock(
        _ kind: EngineKind, rules: String = Self.rules, _ body: (TreeStore, HandClock, any Engine) async throws -> Void
    ) async throws {
        let clock = HandClock()
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false, clock: { clock.now })
            try await store.setRules(rules)
            try await body(store, clock, engine)
        }
    }

    @Test("a node is deleted by an ordinary update when its time is over", arguments: EngineKind.allCases)
    func expires(kind: EngineKind) async throws {
        try await withClock(kind) { store, clock, engine in
            try await store.set("sessions/a", to: ["user": "u1"])
            try await store.set("sessions/forever", to: true)
            clock.advance(seconds: 30)
            try await store.set("sessions/b", to: ["user": "u2"])
            let token = try await store.snapshot { try $0.token }
            let subscription = try await store.subscribe(to: "sessions")
            clock.advance(seconds: 29)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["a", "b", "forever"])
            clock.advance(seconds: 1)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["b", "forever"])
            let changes = try await store.changes(since: token, limit: 10)
            #expect(changes.map(\.writes) == [[TreeWrite(path: "sessions/a", value: nil)]])
            var changesSeen = subscription.makeAsyncIterator()
            #expect(try await changesSeen.next()?.writes == [TreeWrite(path: "a", value: nil)])
            clock.advance(seconds: 1000)
            #expect(try await store.maintenance.pass() == .work)
            #expect(try await store.maintenance.pass() == .expiry)
            #expect(try await store.keys(of: "sessions") == ["forever"])
            #expect(try await Self.entryCount(of: engine) == 0)
        }
    }

    static let touches: [(path: TreePath, value: TreeValue?)] = [
        ("sessions/a", ["user": "u1"]), ("sessions/a/user", "u1"), ("sessions/a/seen/at", 5),
        ("sessions/a/nothing", nil),
        ("sessions", ["a": ["user": "u1"]]), (.root, ["sessions": ["a": true]]),
    ]

    @Test(
        "a write at the node, above it or below it restarts its time, even if it changes nothing",
        arguments: touches)
    func touch(path: TreePath, value: TreeValue?) async throws {
        try await withClock(.memory) { store, clock, engine in
            try await store.set("sessions/a", to: ["user": "u1"])
            clock.advance(seconds: 59)
            try await store.set(path, to: value)
            clock.advance(seconds: 59)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["a"])
            #expect(try await Self.entryCount(of: engine) == 1)
            clock.advance(seconds: 1)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == [])
        }
    }

    @Test("a write elsewhere, or to another tree, does not restart the time")
    func doesNotTouch() async throws {
        try await withClock(.memory) { store, clock, _ in
            try await store.set("sessions/a", to: 1)
            clock.advance(seconds: 59)
            try await store.set("sessions/b", to: 1)
            try await store.set(TreePath(["sessions", "a"], in: try Namespace("other")), to: 1)
            clock.advance(seconds: 1)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["b"])
            clock.advance(seconds: 1000)
            try await store.finishMaintenance()
            #expect(try await store.get(TreePath(["sessions", "a"], in: try Namespace("other"))) == 1)
        }
    }

    @Test("a node that is written while it is being deleted stays")
    func writtenMeanwhile() async throws {
        try await withClock(.memory) { store, clock, engine in
            try await store.set("sessions/a", to: 1)
            try await store.set("sessions/b", to: 1)
            clock.advance(seconds: 60)
            // The sweep has found both nodes when one of them is written again.
            let rules = RulesCache()
            let sweep = try await engine.read { snapshot throws(TreeError) in
                try ExpirySweep(at: clock.now, rules: rules, in: snapshot)
            }
            try await store.set("sessions/a", to: 2)
            for update in sweep.updates { _ = try await store.largeWrites.commit(update) }
            #expect(try await store.get("sessions") == ["a": 2])
            #expect(try await Self.entryCount(of: engine) == 1)
        }
    }

    @Test(
        "the deletion of a node, or of its parents, forgets its time",
        arguments: ["sessions/a", "sessions/a/user", "sessions", ""])
    func deleting(path: String) async throws {
        try await withClock(.memory) { store, _, engine in
            try await store.set("sessions/a", to: ["user": "u1"])
            try await store.set("rooms/r/typing", to: "u1")
            try await store.set(try TreePath(path), to: nil)
            #expect(try await Self.entryCount(of: engine) == (path.isEmpty ? 0 : 1))
        }
    }

    @Test("new rules apply to later writes only")
    func newRules() async throws {
        try await withClock(.memory) { store, clock, engine in
            try await store.set("sessions", to: ["a": 1, "b": 1])
            // Another time to live: nodes written before keep theirs.
            try await store.setRules(#"{ "rules": { "sessions": { "$id": { ".ttl": 600 } } } }"#)
            try await store.set("sessions/b", to: 2)
            clock.advance(seconds: 60)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["b"])
            // No time to live: nothing expires any more.
            try await store.setRules(#"{ "rules": {} }"#)
            clock.advance(seconds: 10_000)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["b"])
            #expect(try await Self.entryCount(of: engine) == 0)
            // Nodes written before stay for good.
            try await store.setRules(Self.rules)
            clock.advance(seconds: 10_000)
            try await store.finishMaintenance()
            #expect(try await store.keys(of: "sessions") == ["b"])
        }
    }

    @Test("rules that are set again do not bring old times back")
    func rulesThatComeAgain() async throws {
        try await withClock(.memory) { store, clock, _ in
            try await store.set("sessions/a", to: 1)
            try await store.setRules(#"{ "rules": {} }"#)
            try await store.set("sessions/a", to: 2)
            try await store.setRules(Self.rules)
            clock.advance(seconds: 1000)
            try await store.finishMaintenance()
            #expect(try await store.get("sessions/a") == 2)
        }
    }

    @Test("nested nodes expire, also more of them than one sweep deletes", arguments: EngineKind.allCases)
    func many(kind: EngineKind) async throws {
        let rules = #"{ "rules": { "$a": { ".ttl": 5, "$b": { ".ttl": 5 } } } }"#
        try await withClock(kind, rules: rules) { store, clock, engine in
            for number in 0..<20 {
                let inner = (0..<30).map { (TreeKey(unchecked: "k\($0)"), TreeValue.bool(true)) }
                try await store.set(
                    TreePath([TreeKey(unchecked: "k\(number)")]), to: .object(Dictionary(uniqueKeysWithValues: inner)))
            }
            #expect(try await Self.entryCount(of: engine) == 20 * 31)
            clock.advance(seconds: 5)
            try await store.finishMaintenance()
            #expect(try await store.get(.root) == nil)
            #expect(try await Self.entryCount(of: engine) == 0)
        }
    }

    @Test("entries are kept in step with the indexes of the same paths")
    func withIndexes() async throws {
        let rules = #"{ "rules": { "list": { ".indexOn": "n", "$k": { ".ttl": 5 } } } }"#
        try await withClock(.memory, rules: rules) { store, clock, engine in
            for number in 0..<10 { try await store.set("list" / TreeKey(unchecked: "k\(number)"), to: ["n": 1]) }
            try await store.finishMaintenance()
            clock.advance(seconds: 5)
            try await store.finishMaintenance()
            let keys = try await engine.read { snapshot throws(TreeError) in try snapshot.keys(in: 0x12) }
            #expect(keys.isEmpty)
        }
    }

    /// Returns the number of nodes that will expire, after checking that both keyspaces agree.
    private static func entryCount(of engine: any Engine) async throws -> Int {
        try await engine.read { snapshot throws(TreeError) in
            let (byTime, byPath) = (try snapshot.keys(in: 0x13), try snapshot.keys(in: 0x14))
            #expect(Set(byTime.map { $0.dropFirst(9) }) == Set(byPath.map { $0.dropFirst(1) }))
            #expect(byTime.count == byPath.count)
            return byPath.count
        }
    }
}
