import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite(.timeLimit(.minutes(20))) struct SubscriptionTests {
    struct Case: Sendable {
        let watched: TreePath
        let writes: [(TreePath, TreeValue?)]
        let seen: [TreeWrite]?
    }

    static let cases = [
        Case(watched: "a", writes: [("a", 1)], seen: [TreeWrite(path: "", value: 1)]),
        Case(watched: "a", writes: [("a/b/c", 1)], seen: [TreeWrite(path: "b/c", value: 1)]),
        Case(
            watched: "a/b", writes: [("a", ["b": ["c": 1], "d": 2])], seen: [TreeWrite(path: "", value: ["c": 1])]),
        Case(watched: "a/b", writes: [("a", 1)], seen: [TreeWrite(path: "", value: nil)]),
        Case(watched: "a/b", writes: [("", nil)], seen: [TreeWrite(path: "", value: nil)]),
        Case(watched: "", writes: [("a/b", nil)], seen: [TreeWrite(path: "a/b", value: nil)]),
        Case(watched: "a", writes: [("a/b", ["c": [:], "d": 1.0])], seen: [TreeWrite(path: "b", value: ["d": 1])]),
        Case(watched: "a", writes: [("b", 1)], seen: nil),
        Case(watched: "a/b", writes: [("a", ["b": ["x": 0.0], "d": 2])], seen: nil),
        Case(watched: "a/b", writes: [("a/c", 1), ("ab", 2)], seen: nil),
        Case(watched: "a/b", writes: [("a", ["b": 1]), ("c", 2)], seen: [TreeWrite(path: "", value: 1)]),
        Case(
            watched: "a", writes: [("a/10", 1), ("a/9", nil), ("b", 3)],
            seen: [TreeWrite(path: "9", value: nil), TreeWrite(path: "10", value: 1)]),
        Case(watched: "a", writes: [("a/9", 0), ("a/10", nil), ("a/b", ["x": 0.0]), ("b", 3)], seen: nil),
        Case(watched: "a", writes: [("a/9", 0), ("a/10", 1)], seen: [TreeWrite(path: "10", value: 1)]),
    ]

    @Test("a write above, at or below a path is reported relative to the path", arguments: EngineKind.allCases)
    func translation(kind: EngineKind) async throws {
        for `case` in Self.cases {
            try await withStore(kind) { store in
                try await store.set(.root, to: ["a": ["b": ["x": 0], "9": 0]])
                let subscription = try await store.subscribe(to: `case`.watched)
                var update = MultiPathUpdate()
                for (path, value) in `case`.writes { update[path] = value }
                let token = try await store.update(update)
                await store.close()
                let events = try await subscription.reduce(into: []) { $0.append($1) }
                #expect(events.map(\.writes) == (`case`.seen.map { [$0] } ?? []))
                #expect(events.allSatisfy { $0.token == token })
            }
        }
    }

    @Test(
        "the value at the start and every later change together give the present state", arguments: EngineKind.allCases)
    func handOver(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withStore(kind) { store in
            let watched: [TreePath] = ["", "a", "a/b", "1/01", "é"]
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<4 {
                    tasks.addTask { try await Self.write(to: store, seed: seed &+ UInt64(writer), updates: 100) }
                }
                for path in watched + watched + watched {
                    tasks.addTask { try await Self.follow(path, in: store, seed: seed) }
                }
                try await tasks.waitForAll()
            }
            #expect(!store.commits.hasListeners)
        }
    }

    private static func write(to store: TreeStore, seed: UInt64, updates: Int) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<updates {
            let update = random.update(on: NaiveTree())
            do {
                try await store.update(update)
            } catch {
                guard error.code == .conflictingPaths || error.code == .preconditionFailed else { throw error }
            }
        }
    }

    /// Subscribes while others write, writes some updates itself, then replays until it receives its own last write.
    private static func follow(_ path: TreePath, in store: TreeStore, seed: UInt64) async throws {
        let subscription = try await store.subscribe(to: path, bufferLimit: 10_000)
        try await write(to: store, seed: seed &+ UInt64(path.depth), updates: 20)
        let lastValue: TreeValue = ["last": .integer(.random(in: .min ... .max))]
        let last = try await store.set(path, to: lastValue)
        var replayed = NaiveTree(subscription.value)
        var token = subscription.token
        for try await event in subscription {
            #expect(event.token > token, "seed \(seed)")
            token = event.token
            replayed.apply(event.writes)
            guard event.token < last else { break }
        }
        #expect(replayed.value == lastValue, "seed \(seed)")
        try await compareWithLog(path, subscription, in: store, until: last, seed: seed)
    }

    /// Compares the events with the change log: no event was lost or sent twice.
    private static func compareWithLog(
        _ path: TreePath, _ subscription: Subscription, in store: TreeStore, until last: SyncToken, seed: UInt64
    ) async throws {
        var tree = NaiveTree()
        for change in try await store.changes(since: .start, limit: .max) where change.token <= subscription.token {
            tree.apply(change.writes)
        }
        #expect(subscription.value == tree.get(path), "seed \(seed)")
    }

    @Test("a write just before the snapshot is read and one just after it are each reported once")
    func handOverStepByStep() async throws {
        let engine = InterposedEngine()
        let store = try await TreeStore(engine: engine, isMaintained: false)
        let writes = Mutex<[Int64]>([1, 2])
        engine.aroundNextRead.withLock { hook in
            hook = { _ = try? await store.set("n", to: .integer(writes.withLock { $0.removeFirst() })) }
        }
        let subscription = try await store.subscribe(to: "n")
        #expect(subscription.value == 1 && subscription.token.sequence == 1)
        try await store.set("n", to: 3)
        await store.close()
        let events = try await subscription.reduce(into: []) { $0.append($1) }
        #expect(events.map(\.token.sequence) == [2, 3])
        #expect(events.flatMap(\.writes).map(\.value) == [2, 3])
    }

    @Test("every event between the snapshot and the end is reported once", arguments: EngineKind.allCases)
    func noneLostNoneTwice(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer: Int64 in 0..<4 {
                    tasks.addTask {
                        for count: Int64 in 0..<100 { try await store.set("n", to: .integer(writer * 100 + count)) }
                    }
                }
                for _ in 0..<8 {
                    tasks.addTask {
                        let subscription = try await store.subscribe(to: "n", bufferLimit: 1_000)
                        var expected = subscription.token.sequence
                        guard expected < 400 else { return }
                        for try await event in subscription {
                            expected += 1
                            #expect(event.token.sequence == expected)
                            if expected == 400 { break }
                        }
                        #expect(expected == 400)
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test("no reader or listener ever sees half of an update", arguments: EngineKind.allCases)
    func neverHalf(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let subscription = try await store.subscribe(to: .root)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<4 as Range<Int64> {
                    tasks.addTask {
                        for number in 0..<50 as Range<Int64> {
                            var update = MultiPathUpdate()
                            update["left/a"] = .integer(writer * 100 + number)
                            update["right/b"] = .integer(writer * 100 + number)
                            try await store.update(update)
                        }
                    }
                }
                tasks.addTask {
                    for _ in 0..<200 {
                        let tree = try await store.get(.root)
                        #expect(tree?[path: "left/a"] == tree?[path: "right/b"])
                    }
                }
                try await tasks.waitForAll()
            }
            await store.close()
            var replayed = NaiveTree(subscription.value)
            var events = 0
            for try await event in subscription {
                replayed.apply(event.writes)
                events += 1
                #expect(replayed.get("left/a") == replayed.get("right/b"))
            }
            #expect(events == 200)
        }
    }

    @Test("a listener that falls behind is ended after the events in its buffer")
    func overflow() async throws {
        try await withStore(.memory) { store in
            let slow = try await store.subscribe(to: "n", bufferLimit: 4)
            let quick = try await store.subscribe(to: "n", bufferLimit: 100)
            for number in 1...10 as ClosedRange<Int64> { try await store.set("n", to: .integer(number)) }
            var all: [UInt64] = []
            for try await change in quick {
                all.append(change.token.sequence)
                if all.count == 10 { break }
            }
            #expect(all == Array(1...10))
            var seen: [UInt64] = []
            await expectCode(.overflow) { for try await event in slow { seen.append(event.token.sequence) } }
            #expect(seen == [1, 2, 3, 4])
        }
    }

    @Test("a subscription is about values, so a change of a priority is not reported", arguments: EngineKind.allCases)
    func priorities(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("a", to: ["b": 1])
            let subscription = try await store.subscribe(to: .root)
            try await store.update(try JSONUpdate(.priority, at: "a", json: "5".utf8))
            try await store.update(try JSONUpdate(.update, at: "a", json: #"{".priority":6,"b":2}"#.utf8))
            await store.close()
            let changes = try await subscription.reduce(into: []) { $0.append($1.writes) }
            #expect(changes == [[TreeWrite(path: "a/b", value: 2)]])
        }
    }

    @Test("a subscription ends when it is dropped or its reader is cancelled", arguments: EngineKind.allCases)
    func ending(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            do {
                let dropped = try await store.subscribe(to: "a/b")
                #expect(store.commits.hasListeners && dropped.value == nil)
            }
            #expect(!store.commits.hasListeners)
            let subscription = try await store.subscribe(to: "a")
            let reader = Task { try await subscription.reduce(into: 0) { count, _ in count += 1 } }
            try await store.set("a", to: 1)
            reader.cancel()
            #expect(try await reader.value <= 1)
            #expect(!store.commits.hasListeners)
        }
    }
}

/// A memory engine that runs a closure just before and just after it reads a state.
private final class InterposedEngine: Engine {
    private let base = MemoryEngine()
    var logBytes: Int { base.logBytes }
    /// A closure that is called before and after one read, and then forgotten.
    let aroundNextRead = Mutex<(@Sendable () async -> Void)?>(nil)

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        let hook = aroundNextRead.withLock { hook in
            defer { hook = nil }
            return hook
        }
        await hook?()
        let result = try await base.read(size, body)
        await hook?()
        return result
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try await base.write(body, committed: committed)
    }

    func close() async { await base.close() }
}
