import Dispatch
import Synchronization
import Testing

@testable import Tree

@Suite struct GroupCommitTests {
    /// A stand-in for the engine: it runs one transaction at a time, and holds the first one back until it is released.
    private final class Gate: Sendable {
        let groups = Mutex<[Int]>([])
        private let queue = DispatchQueue(label: "transactions")
        private let opened = DispatchSemaphore(value: 0)

        func apply(_ takeGroup: @escaping @Sendable () -> [EncodedUpdate]) async -> [GroupCommit.Answer] {
            await withCheckedContinuation { continuation in
                queue.async {
                    let updates = takeGroup()
                    let first = self.groups.withLock { groups in
                        defer { groups.append(updates.count) }
                        return groups.reduce(0, +) + 1
                    }
                    if first == 1 { self.opened.wait() }
                    continuation.resume(
                        returning: updates.indices.map {
                            let token = SyncToken(sequence: UInt64(first + $0))
                            return .success(CommitReceipt(token: token, writes: [], change: nil))
                        })
                }
            }
        }

        func finish() { opened.signal() }
    }

    private static func emptyUpdate() throws -> EncodedUpdate { try EncodedUpdate(MultiPathUpdate()) }

    @Test(
        "updates that arrive during a transaction share the next ones",
        arguments: [(200, [1, 200]), (1_100, [1, 512, 512, 76])])
    func groups(count: Int, expected: [Int]) async throws {
        let gate = Gate()
        let group = GroupCommit { takeGroup in await gate.apply(takeGroup) }
        let update = try Self.emptyUpdate()
        let tokens = try await withThrowingTaskGroup(of: SyncToken.self) { tasks in
            tasks.addTask { try await group.commit(update).token }
            while gate.groups.withLock(\.isEmpty) { await Task.yield() }
            // The first update is in its transaction. One of the others leads their group and waits for its own
            // transaction.
            for _ in 0..<count { tasks.addTask { try await group.commit(update).token } }
            while group.waitingCount < count - 1 { await Task.yield() }
            gate.finish()
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(gate.groups.withLock { $0 } == expected)
        #expect(tokens.count == count + 1)
    }

    @Test("a failure of the engine affects only the group that it belongs to")
    func failure() async throws {
        let calls = Mutex(0)
        let group = GroupCommit { takeGroup throws(TreeError) in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call > 1 else { throw TreeError(.diskFull, "full, on purpose") }
            return takeGroup().map { _ in
                .success(CommitReceipt(token: SyncToken(sequence: 7), writes: [], change: nil))
            }
        }
        let update = try Self.emptyUpdate()
        await expectCode(.diskFull) { _ = try await group.commit(update) }
        #expect(try await group.commit(update).token.sequence == 7)
    }

    @Test("close waits for accepted updates and refuses later ones")
    func close() async throws {
        let gate = Gate()
        let group = GroupCommit { takeGroup in await gate.apply(takeGroup) }
        let update = try Self.emptyUpdate()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { _ = try await group.commit(update) }
            while gate.groups.withLock(\.isEmpty) { await Task.yield() }
            for _ in 0..<2 { tasks.addTask { _ = try await group.commit(update) } }
            while group.waitingCount < 1 { await Task.yield() }
            tasks.addTask { await group.close() }
            while !group.isClosed { await Task.yield() }
            await expectCode(.closed) { _ = try await group.commit(update) }
            gate.finish()
            try await tasks.waitForAll()
        }
        #expect(gate.groups.withLock { $0 } == [1, 2])
        await group.close()
    }

    @Test(
        "200 concurrent updates are all committed, each with its token, in few transactions",
        arguments: EngineKind.allCases)
    func concurrentUpdates(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            let keys = try (0..<200).map { try TreeKey("k\($0)") }
            let tokens = try await withThrowingTaskGroup(of: SyncToken.self) { tasks in
                for (index, key) in keys.enumerated() {
                    tasks.addTask { try await store.set("all" / key, to: .integer(Int64(index))) }
                }
                return try await tasks.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens == Set((1...200).map { SyncToken(sequence: $0) }))
            #expect(try await store.keys(of: "all").count == 200)
            let statistics = store.statistics
            #expect(statistics.updates == 200)
            if kind == .sqlite { #expect(statistics.transactions <= 50 && statistics.largestGroup >= 4) }
        }
    }

    @Test("P23: if many updates create the same path, one wins", arguments: EngineKind.allCases)
    func preconditionsWithinAGroup(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            let winners = await withTaskGroup(of: Int?.self) { tasks in
                for index in 0..<50 {
                    tasks.addTask {
                        let won = try? await store.set("one", to: .integer(Int64(index)), if: [.absent("one")])
                        return won == nil ? nil : index
                    }
                }
                return await tasks.reduce(into: [Int]()) { winners, index in if let index { winners.append(index) } }
            }
            #expect(winners.count == 1)
            #expect(try await store.get("one") == .integer(Int64(winners.first ?? -1)))
            #expect(try await store.changes(since: .start, limit: 100).count == 1)
        }
    }

    @Test("the update of a cancelled caller is still applied whole", arguments: EngineKind.allCases)
    func cancelledCaller(kind: EngineKind) async throws {
        try await withStore(kind) { store throws in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.set("a", to: ["b": 1, "c": 2])
            }
            #expect(try await task.value.sequence == 1)
            #expect(try await store.get("a") == ["b": 1, "c": 2])
        }
    }
}
