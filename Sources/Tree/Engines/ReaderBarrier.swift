import Synchronization

/// A barrier that holds the threads that read, while somebody who waits until all of them are held works on the files.
final class ReaderBarrier: Sendable {
    private struct State {
        var missingCount: Int
        var heldCount = 0
        /// Whether nobody is held any more who comes.
        var isReleased = false
        var isTimeOver = false
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state: Mutex<State>
    private let wake = Semaphore()

    /// Makes a barrier that waits for so many threads.
    init(count: Int) { state = Mutex(State(missingCount: count)) }

    /// Holds the calling thread until ``release()``.
    func hold() {
        if count(isHeld: true) { wake.wait() }
    }

    /// Waits for one thread less.
    func skipOne() { _ = count(isHeld: false) }

    /// Counts a thread.
    ///
    /// - Returns: Whether it is to be held.
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

    /// Waits until all threads are held; for one task.
    ///
    /// - Parameter patience: The longest time to wait; nil for as long as it takes.
    /// - Returns: Whether all are held.
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

    /// Lets all threads go on, also those that are still to come. Call it once.
    func release() {
        let heldCount = state.withLock { state in
            state.isReleased = true
            return state.heldCount
        }
        for _ in 0..<heldCount { wake.signal() }
    }
}
