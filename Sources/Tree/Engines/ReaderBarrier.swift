import Synchronization

/// A place where a number of threads wait for somebody, who waits until all are there.
final class Parking: Sendable {
    private struct State {
        var missingCount: Int
        var stayingCount = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let wake = Semaphore()

    init(count: Int) { state = Mutex(State(missingCount: count)) }

    /// Holds the thread until the end.
    func stay() {
        count(staying: 1)
        wake.wait()
    }

    /// One will not come.
    func leaveOut() { count(staying: 0) }

    private func count(staying: Int) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.stayingCount += staying
            state.missingCount -= 1
            return state.missingCount == 0 ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Waits until all are there; for one task.
    func untilFull() async {
        await withCheckedContinuation { continuation in
            let isFull = state.withLock { state in
                if state.missingCount > 0 { state.waiting = continuation }
                return state.missingCount == 0
            }
            if isFull { continuation.resume() }
        }
    }

    /// Lets all go on. Call once, when all are there.
    func end() {
        for _ in 0..<state.withLock({ $0.stayingCount }) { wake.signal() }
    }
}
