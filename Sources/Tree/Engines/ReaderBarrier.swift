import Synchronization

/// A barrier that holds the threads that read, while somebody who waits until all of them are held works on the files.
final class ReaderBarrier: Sendable {
    private struct State {
        var missingCount: Int
        var heldCount = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let wake = Semaphore()

    /// Makes a barrier that waits for so many threads.
    init(count: Int) { state = Mutex(State(missingCount: count)) }

    /// Holds the calling thread until ``release()``.
    func hold() {
        count(held: 1)
        wake.wait()
    }

    /// Waits for one thread less.
    func skipOne() { count(held: 0) }

    private func count(held: Int) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.heldCount += held
            state.missingCount -= 1
            return state.missingCount == 0 ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Waits until all threads are held; for one task.
    func waitUntilComplete() async {
        await withCheckedContinuation { continuation in
            let isComplete = state.withLock { state in
                if state.missingCount > 0 { state.waiting = continuation }
                return state.missingCount == 0
            }
            if isComplete { continuation.resume() }
        }
    }

    /// Lets all threads go on. Call it once, when all are held.
    func release() {
        for _ in 0..<state.withLock({ $0.heldCount }) { wake.signal() }
    }
}
