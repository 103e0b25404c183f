import Synchronization

/// A bound on how much is done at a time, with a line in which owners take turns: one who sends a hundred makes nobody
/// wait for more than those before.
final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [String: [CheckedContinuation<Bool, Never>]] = [:]
        /// The owners who wait, the next one first.
        var turns: [String] = []
        var count = 0
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
    var waitingCount: Int { state.withLock(\.count) }

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
                let own = state.waiting[owner]?.count ?? 0
                guard state.count < maxWaiting, own < maxWaitingOfOwner else { return false }
                if own == 0 { state.turns.append(owner) }
                state.waiting[owner, default: []].append(continuation)
                state.count += 1
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Ends a turn; the next one begins.
    func signal() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard let owner = state.turns.first, var line = state.waiting[owner], !line.isEmpty else {
                state.free += 1
                return nil
            }
            state.turns.removeFirst()
            let next = line.removeFirst()
            state.waiting[owner] = line.isEmpty ? nil : line
            if !line.isEmpty { state.turns.append(owner) }
            state.count -= 1
            return next
        }
        next?.resume(returning: true)
    }
}
