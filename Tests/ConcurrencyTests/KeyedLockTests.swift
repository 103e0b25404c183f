import Concurrency
import Synchronization
import TestSupport
import Testing

@Suite("Work with the same key runs one after another", .timeLimit(.minutes(20)))
struct KeyedLockTests {
    private let lock = KeyedLock<String>()
    private let order = Shared<[Int]>([])

    /// Holds the key while the body runs. The body may open the gate.
    private func holding(_ body: (_ open: () -> Void) async throws -> Void) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await lock.withLease("a") {
                begin.finish()
                for await _ in gate {}
            }
        }
        for await _ in begun {}
        try await body { open.finish() }
        open.finish()
        try await holder.value
    }

    @Test("Waiting work is run in order; other keys do not wait")
    func order() async throws {
        try await holding { open in
            let second = Task { try await lock.withLease("a") { order.change { $0.append(2) } } }
            try await lock.withLease("b") { order.change { $0.append(1) } }
            open()
            try await second.value
        }
        #expect(order.value == [1, 2])
    }

    @Test("A wait that is too long fails, and leaves the turns of others unchanged")
    func patience() async throws {
        try await holding { open in
            await #expect(throws: LeaseTimeout.self) {
                try await lock.withLease("a", within: .milliseconds(1)) { order.change { $0.append(0) } }
            }
            open()
            try await lock.withLease("a", within: .seconds(600)) { order.change { $0.append(1) } }
        }
        #expect(order.value == [1])
    }

    @Test("A cancelled task stops waiting", arguments: [true, false])
    func cancellation(isCancelledBefore: Bool) async throws {
        try await holding { _ in
            let waiter = Task {
                if isCancelledBefore { while !Task.isCancelled { await Task.yield() } }
                try await lock.withLease("a") { order.change { $0.append(0) } }
            }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        try await lock.withLease("a") { order.change { $0.append(1) } }
        #expect(order.value == [1])
    }

    @Test("Work that fails frees the key, too")
    func failure() async throws {
        for number in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await lock.withLease("a") {
                    order.change { $0.append(number) }
                    throw CancellationError()
                }
            }
        }
        #expect(order.value == [0, 1, 2])
    }
}
