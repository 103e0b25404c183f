import Synchronization

/// A barrier that blocks the reading threads while a task works on the files, once all of them are blocked.
final class ReaderBarrier: Sendable {
    private struct State {
        var missingCount: Int
        var heldCount = 0
        /// Whether threads that arrive are no longer blocked.
        var isReleased = false
        var isTimeOver = false
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state: Mutex<State>
    private let wake = Semaphore()

    /// Creates a barrier for this number of threads.
    init(count: Int) { state = Mutex(State(missingCount: count)) }

    /// Blocks the calling thread until ``release()``.
    func hold() {
        if count(isHeld: true) { wake.wait() }
    }

    /// Reduces the number of expected threads by one.
    func skipOne() { _ = count(isHeld: false) }

    /// Counts a thread that has arrived.
    ///
    /// - Returns: Whether the thread must be blocked.
    private func count(isHeld: Bool) -> Bool {
        let (waiting, isHeld): (CheckedContinuation<Bool, Never>?, Bool) = state.withLock { state in
            let isHeld = isHeld && !state.isReleased
            if isHeld { state.heldCount += 1 }
            state.missingCount -= 1
            return (state.missingCount == 0 ? state.waiting.take() : nil, isHeld)
        }
        waiting?.resume(returning: true)
        return isHeld
    }

    /// Waits until all threads are blocked. Only one task may wait.
    ///
    /// - Parameter patience: The longest time to wait; nil for no limit.
    /// - Returns: Whether all threads are blocked.
    @discardableResult
    func waitUntilComplete(within patience: Duration? = nil) async -> Bool {
        let end = patience.map { patience in
            Task {
                try await Task.sleep(for: patience)
                let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
                    state.isTimeOver = true
                    return state.waiting.take()
                }
                waiting?.resume(returning: false)
            }
        }
        defer { end?.cancel() }
        return await withCheckedContinuation { continuation in
            let isComplete: Bool? = state.withLock { state in
                if state.missingCount == 0 { return true }
                if state.isTimeOver { return false }
                state.waiting = continuation
                return nil
            }
            if let isComplete { continuation.resume(returning: isComplete) }
        }
    }

    /// Unblocks all threads, including those that arrive later. Call this once.
    func release() {
        let heldCount = state.withLock { state in
            state.isReleased = true
            return state.heldCount
        }
        for _ in 0..<heldCount { wake.signal() }
    }
}
