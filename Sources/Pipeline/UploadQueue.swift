import DequeModule
import Posts
import ServiceLifecycle
import Synchronization

/// The uploads that wait for a worker, in memory: what survives a crash is `upload_queue` in the tree.
final class UploadQueue: Sendable {
    private struct State {
        var waiting: Deque<PostID> = []
        var idleWorkers: [CheckedContinuation<PostID?, Never>] = []
        /// How often each upload that waits or is in work was tried in vain.
        var attempts: [PostID: Int] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let retries = AsyncStream.makeStream(of: (id: PostID, delay: Duration).self)

    /// How many uploads wait for a worker.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Adds an upload at the end, unless it waits or is in work already: no two workers ever have the same one.
    func push(_ id: PostID) {
        let isNew = state.withLock { state in
            defer { state.attempts[id] = state.attempts[id] ?? 0 }
            return state.attempts[id] == nil
        }
        if isNew { handOut(id) }
    }

    private func handOut(_ id: PostID) {
        let worker: CheckedContinuation<PostID?, Never>? = state.withLock { state in
            guard !state.isClosed else { return nil }
            guard let worker = state.idleWorkers.popLast() else {
                state.waiting.append(id)
                return nil
            }
            return worker
        }
        worker?.resume(returning: id)
    }

    /// The next upload; waits for one, and is nil when the queue is closed.
    func next() async -> PostID? {
        await withCheckedContinuation { continuation in
            let answer: PostID?? = state.withLock { state in
                if state.isClosed { return .some(nil) }
                if let id = state.waiting.popFirst() { return .some(id) }
                state.idleWorkers.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Stops handing out work. What waits stays recorded in the tree.
    func close() {
        let workers = state.withLock { state in
            state.isClosed = true
            defer { state.idleWorkers = [] }
            return state.idleWorkers
        }
        retries.continuation.finish()
        for worker in workers { worker.resume(returning: nil) }
    }

    /// Puts an upload back after a passing fault, for later.
    ///
    /// - Returns: How often it was tried by this process, and after how long it is tried again.
    func retry(_ id: PostID) -> (attempt: Int, delay: Duration) {
        let attempt = state.withLock { state in
            state.attempts[id, default: 0] += 1
            return state.attempts[id, default: 1]
        }
        let delay = Backoff.delay(afterAttempt: attempt)
        retries.continuation.yield((id, delay))
        return (attempt, delay)
    }

    /// Lets go of an upload that has ended.
    func finish(_ id: PostID) {
        state.withLock { _ = $0.attempts.removeValue(forKey: id) }
    }

    /// Brings retries back when their time has come, until the queue is closed.
    func runRetries() async {
        await withDiscardingTaskGroup { group in
            for await retry in retries.stream {
                group.addTask {
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: retry.delay) }
                    self.handOut(retry.id)
                }
            }
        }
    }
}
