import Synchronization
import Testing

@testable import Tree

@Suite("Reads of several clients", .timeLimit(.minutes(20)))
struct ReadTurnsTests {
    /// The order in which the clients' reads were run.
    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test(
        "The reads of one client delay a read of another by one read at most, whatever their size",
        arguments: [ReadSize.large, .unknown])
    func turns(size: ReadSize) async throws {
        try await withEngine(.sqlite) { engine in
            let order = Order()
            let gates = [Semaphore(), Semaphore()]
            let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)
            // These reads occupy all turns. Only the second one is released early, so that the others run one after
            // another.
            let holders = gates.map { gate in
                Task.immediate {
                    try await engine.read(size) { _ throws(TreeError) in
                        begin.yield()
                        gate.wait()
                    }
                }
            }
            var begun = beginnings.makeAsyncIterator()
            for _ in holders { _ = await begun.next() }
            let reads = ["maria", "maria", "maria", "maria", "noah"].map { name in
                // The read waits for its turn when this returns.
                Task.immediate {
                    let client = ReadingClient(named: name) { _ in }
                    try await ReadingClient.read(for: client) { () async throws(TreeError) in
                        try await engine.read(size) { _ throws(TreeError) in order.names.withLock { $0.append(name) } }
                    }
                }
            }
            gates[0].signal()
            for read in reads { try await read.value }
            gates[1].signal()
            for holder in holders { try await holder.value }
            #expect(order.names.withLock { $0 } == ["maria", "noah", "maria", "maria", "maria"])
        }
    }
}
