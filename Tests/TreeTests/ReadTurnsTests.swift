import Synchronization
import Testing

@testable import Tree

@Suite("Reads of several clients", .timeLimit(.minutes(30)))
struct ReadTurnsTests {
    /// The clients whose reads have been made, in this order.
    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    @Test(
        "Many reads of one client make another's wait for one of them at most, be they large or not",
        arguments: [ReadSize.large, .unknown])
    func turns(size: ReadSize) async throws {
        try await withEngine(.sqlite) { engine in
            let order = Order()
            let gates = [Semaphore(), Semaphore()]
            let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)
            // They take all places; the second one goes on to the end, so that the others are read one after the other.
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
                // Waits for its turn when this returns.
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
