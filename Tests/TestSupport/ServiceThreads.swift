import Concurrency
import NIOCore
import NIOPosix
import Uploads

/// Threads for tests that wait for services, apart from those on which all other tests compute.
///
/// All tests of a run begin at once. On the threads that Swift's tasks share, each step of a service would wait behind every
/// picture that another test still has to decode.
///
/// Code that runs here may not use AsyncAlgorithms's `merge`, nor `cancelOnGracefulShutdown()` of a sequence, which uses
/// `merge`: it holds a lock while a task returns to its own executor, and a cancellation at that moment waits for ever.
package final class ServiceThreads: TaskExecutor {
    private static let shared = ServiceThreads()
    /// The number of tests that run services at a time: otherwise each would wait behind the work of a hundred others.
    private static let turns = AsyncSemaphore(2 * System.coreCount)
    @TaskLocal private static var hasTurn = false

    private let pool = NIOThreadPool(numberOfThreads: System.coreCount)

    private init() { pool.start() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a body that waits for services, once it has a turn. Nested bodies share one.
    package static func run<R>(_ body: () async throws -> R) async throws -> R {
        if hasTurn { return try await body() }
        return try await turns.withPermit {
            try await $hasTurn.withValue(true) { try await withTaskExecutorPreference(shared) { try await body() } }
        }
    }
}
