import Concurrency
import DequeModule
import Synchronization

/// Threads that run jobs which may block, so that Swift's own threads never do: each owner's jobs in the order in which they
/// come, and those of several owners in turns.
///
/// Each thread has a resource, such as a connection to a database, that no other thread touches. Threads sleep while
/// there is nothing to do, and end once they are told to and all jobs that came before are done.
final class WorkerThreads<Resource>: Sendable {
    typealias Job = @Sendable (Resource) -> Void

    private struct State {
        /// The jobs that wait; those without an owner share a turn.
        var jobs = FairLine<String?, Job>()
        /// The jobs that go before these, in the order in which they came.
        var urgentJobs: Deque<Job> = []
        var runningCount = 0
        /// Threads that sleep and for which no signal is under way.
        var sleepingCount = 0
        /// Whether a thread has been signalled and is not awake yet; it wakes the next one if there is enough to do.
        var isWaking = false
        var isStopped = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { urgentJobs.isEmpty && jobs.isEmpty }

        mutating func takeJob() -> Job? { urgentJobs.popFirst() ?? jobs.popFirst() }

        /// Whether to signal a sleeping thread now: one after the other, so that few are woken for nothing.
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

    /// Starts as many threads, each with a resource of its own, which it tells `whenIdle` before it goes to sleep.
    ///
    /// - Throws: What making a resource throws; ``TreeError`` with code `engine` when the system has no thread left.
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

    /// Runs a job on one of the threads.
    ///
    /// - Parameters:
    ///   - owner: The one who takes turns with others; nil for the service itself.
    ///   - isUrgent: Whether the job goes before all that wait.
    /// - Returns: False, and the job is dropped, once the threads were told to end.
    func submit(of owner: String? = nil, isUrgent: Bool = false, _ job: @escaping Job) -> Bool {
        let (isTaken, wakesOne) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            if isUrgent { state.urgentJobs.append(job) } else { state.jobs.append(job, of: owner) }
            return (true, state.takeSleeper())
        }
        if wakesOne { wake.signal() }
        return isTaken
    }

    /// Refuses further jobs; the threads end, and let go of their resources, when those they have are done.
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

    /// The only one who holds a resource, so that it goes when the thread lets go of it, and not when the system does
    /// of the thread.
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
