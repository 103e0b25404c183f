import Synchronization

/// A lock that allows one job over posts at a time.
package final class PostRunSlot: Sendable {
    private struct State {
        var isTaken = false
        /// Whether the holder took the slot without waiting, so that others must not wait for it.
        var isHurried = false
        /// Finished when the slot becomes free, for the task that waits.
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes the slot if it is free; nil if it is in use. The slot is freed when the ticket is released, even if the
    /// response that holds it is never started.
    package func take() -> Ticket? { take(orTell: nil) }

    /// Waits until the slot is free, and takes it. Only one task may wait at a time.
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

    /// Whether the slot is held by a job that took it without waiting, for a client that follows the job. A job that
    /// runs without a client frees the slot as soon as it is paused or cancelled.
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
