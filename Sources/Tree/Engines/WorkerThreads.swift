import Concurrency
import DequeModule
import Synchronization

/// Threads that run blocking jobs, so that Swift's own threads never block. The jobs of each owner run in their order;
/// several owners take turns.
///
/// Each thread has a resource, such as a database connection, that no other thread uses. Threads sleep while there are
/// no jobs. After ``stop()`` they end when all earlier jobs are done.
final class WorkerThreads<Resource>: Sendable {
    typealias Job = @Sendable (Resource) -> Void

    private struct State {
        /// The waiting jobs; those without an owner share a turn.
        var jobs = FairLine<String?, Job>()
        /// The jobs that run before these, in their order.
        var urgentJobs: Deque<Job> = []
        var runningCount = 0
        /// The number of sleeping threads for which no signal is pending.
        var sleepingCount = 0
        /// Whether a thread has been signalled and is not awake yet; it wakes the next one if there are enough jobs.
        var isWaking = false
        var isStopped = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { urgentJobs.isEmpty && jobs.isEmpty }

        mutating func takeJob() -> Job? { urgentJobs.popFirst() ?? jobs.popFirst() }

        /// Whether to signal a sleeping thread now; only one is signalled at a time, to avoid needless
        /// wake-ups.
        mutating func takeSleeper() -> Bool {
            guard sleepingCount > 0, !isWaking else { return false }
            sleepingCount -= 1
            isWaking = true
            return true
        }
    }

    private let state = Mutex(State())
    private let wake = Semaphore()
    private let whenIdle: @Sendable (Resource) -> Void

    /// Starts threads, each with a resource of its own, which is passed to `whenIdle` before the thread sleeps.
    ///
    /// - Throws: The error of creating a resource; ``TreeError`` with code `engine` if the system cannot create a
    ///   thread.
    init(
        count: Int, whenIdle: @escaping @Sendable (Resource) -> Void = { _ in },
        makeResource: () throws(TreeError) -> sending Resource
    ) throws(TreeError) {
        self.whenIdle = whenIdle
        do {
            for _ in 0..<count {
                let ownership = Ownership(of: try makeResource())
                state.withLock { $0.runningCount += 1 }
                try startThread { self.work(with: ownership) }
            }
        } catch {
            stop()
            throw error
        }
    }

    /// Submits a job to the threads.
    ///
    /// - Parameters:
    ///   - owner: The owner that takes turns with others; nil for the service itself.
    ///   - isUrgent: Whether the job runs before all waiting jobs.
    /// - Returns: False if the threads have been stopped; the job is then dropped.
    func submit(of owner: String? = nil, isUrgent: Bool = false, _ job: @escaping Job) -> Bool {
        let (isTaken, wakesOne) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            if isUrgent { state.urgentJobs.append(job) } else { state.jobs.append(job, of: owner) }
            return (true, state.takeSleeper())
        }
        if wakesOne { wake.signal() }
        return isTaken
    }

    /// Refuses further jobs. The threads finish the earlier jobs, release their resources and end.
    func stop() {
        let sleepingCount = state.withLock { state in
            state.isStopped = true
            defer { state.sleepingCount = 0 }
            return state.sleepingCount
        }
        for _ in 0..<sleepingCount { wake.signal() }
    }

    /// Stops the threads and waits until they have ended.
    func stopAndWait() async {
        stop()
        await withCheckedContinuation { continuation in
            let haveEnded = state.withLock { state in
                if state.runningCount > 0 { state.waitingForEnd.append(continuation) }
                return state.runningCount == 0
            }
            if haveEnded { continuation.resume() }
        }
    }

    // MARK: On the threads

    /// The only owner of a resource, so that the resource is released by its thread, and not later when the system
    /// releases the thread.
    private final class Ownership {
        var resource: Resource?

        init(of resource: Resource) { self.resource = resource }
    }

    private func work(with ownership: Ownership) {
        if let resource = ownership.resource { runJobs(on: resource) }
        ownership.resource = nil
        let waiting = state.withLock { state in
            state.runningCount -= 1
            return state.runningCount == 0 ? state.waitingForEnd : []
        }
        for continuation in waiting { continuation.resume() }
    }

    private func runJobs(on resource: Resource) {
        var hasWoken = false
        while true {
            let (job, wakesNext) = state.withLock { state in
                if hasWoken { state.isWaking = false }
                let job = state.takeJob()
                return (job, hasWoken && !state.isIdle && state.takeSleeper())
            }
            hasWoken = false
            if wakesNext { wake.signal() }
            if let job {
                job(resource)
                continue
            }
            whenIdle(resource)
            let (sleeps, ends) = state.withLock { state in
                guard state.isIdle else { return (false, false) }
                guard !state.isStopped else { return (false, true) }
                state.sleepingCount += 1
                return (true, false)
            }
            if ends { return }
            if sleeps {
                wake.wait()
                hasWoken = true
            }
        }
    }
}
