import Synchronization
import Tree

/// A bound on how much is done at a time, with a line in which owners take turns: one who sends a hundred makes nobody
/// wait for more than those before.
final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        var line = FairLine<String, CheckedContinuation<Bool, Never>>()
    }

    private let state: Mutex<State>
    private let maxWaiting: Int
    private let maxWaitingOfOwner: Int

    /// - Parameters:
    ///   - count: How much is done at a time.
    ///   - maxWaiting: How many may wait.
    ///   - maxWaitingOfOwner: How many of one owner may wait.
    init(_ count: Int, maxWaiting: Int, maxWaitingOfOwner: Int) {
        state = Mutex(State(free: count))
        self.maxWaiting = maxWaiting
        self.maxWaitingOfOwner = maxWaitingOfOwner
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Waits for a turn.
    ///
    /// - Returns: Whether it came; false at once when the line is too long.
    func wait(for owner: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                let own = state.line.count(of: owner)
                guard state.line.count < maxWaiting, own < maxWaitingOfOwner else { return false }
                state.line.append(continuation, of: owner)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Ends a turn; the next one begins.
    func signal() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            let next = state.line.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
