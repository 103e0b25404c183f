import Synchronization
import Testing

@testable import Tree

@Suite(.timeLimit(.minutes(20)), .serialized) struct WorkerThreadsTests {
    /// A resource that counts its live instances.
    private final class Resource: Sendable {
        static let count = Atomic<Int>(0)

        init() { Self.count.add(1, ordering: .relaxed) }
        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    @Test("when the threads have ended, their resources are released and all accepted jobs are done")
    func end() async throws {
        let done = Atomic<Int>(0)
        for _ in 0..<2000 {
            let threads = try WorkerThreads(count: 3) { Resource() }
            for _ in 0..<5 { #expect(threads.submit { _ in done.add(1, ordering: .relaxed) }) }
            await threads.stopAndWait()
            #expect(Resource.count.load(ordering: .relaxed) == 0)
            #expect(!threads.submit { _ in })
        }
        #expect(done.load(ordering: .relaxed) == 10_000)
    }

    @Test("a job's resources are released when it is done, even if no other job follows")
    func jobsHoldNothing() async throws {
        let threads = try WorkerThreads(count: 1) {}
        for _ in 0..<10 {
            let resource = Resource()
            #expect(threads.submit { _ in withExtendedLifetime(resource) {} })
        }
        await withCheckedContinuation { continuation in
            // This job begins when those before it are done.
            if !threads.submit({ _ in continuation.resume() }) { continuation.resume() }
        }
        #expect(Resource.count.load(ordering: .relaxed) == 0)
        await threads.stopAndWait()
    }

    @Test("owners take turns, one job each, and jobs without an owner share a turn; the jobs of an owner run in order")
    func turns() async throws {
        let threads = try WorkerThreads(count: 1) {}
        let order = Mutex<[String]>([])
        let gate = Semaphore()
        #expect(threads.submit { _ in gate.wait() })
        let jobs: [(owner: String?, name: String)] = [
            ("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), (nil, "x"), (nil, "y"), ("b", "b2"),
        ]
        for job in jobs {
            #expect(threads.submit(of: job.owner) { _ in order.withLock { $0.append(job.name) } })
        }
        gate.signal()
        await threads.stopAndWait()
        #expect(order.withLock { $0 } == ["a1", "b1", "x", "a2", "b2", "y", "a3"])
    }
}
