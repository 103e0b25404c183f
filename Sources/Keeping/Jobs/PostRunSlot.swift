import Synchronization

/// Room for one job over posts.
package final class PostRunSlot: Sendable {
    private struct State {
        var isTaken = false
        /// Whether who has it would not wait, and so may not be waited for.
        var isHurried = false
        /// Ends when the slot is free again, for the one who waits.
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    /// The right to run, given back when the ticket goes, even if the answer that holds it is never begun; nil when
    /// another holds it.
    package func take() -> Ticket? { take(orTell: nil) }

    /// Waits for the right to run; one may wait at a time.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws -> Ticket {
        while true {
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            if let ticket = take(orTell: continuation) { return ticket }
            for await _ in end {}
            try Task.checkCancellation()
        }
    }

    private func take(orTell waiting: AsyncStream<Void>.Continuation?) -> Ticket? {
        let isFree = state.withLock { state in
            if state.isTaken {
                state.waiting = waiting ?? state.waiting
                return false
            }
            state.isTaken = true
            state.isHurried = waiting == nil
            return true
        }
        return isFree ? Ticket(slot: self) : nil
    }

    /// Whether somebody has the right to run who did not wait for it: a job that a client follows. A job that goes on by itself
    /// gives it back as soon as it is told to.
    package var isInUse: Bool { state.withLock { $0.isTaken && $0.isHurried } }

    package final class Ticket: Sendable {
        private let slot: PostRunSlot

        fileprivate init(slot: PostRunSlot) {
            self.slot = slot
        }

        deinit {
            let waiting = slot.state.withLock { state in
                state.isTaken = false
                return state.waiting.take()
            }
            waiting?.finish()
        }
    }
}
