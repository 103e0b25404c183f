import Synchronization

/// Room for one job over posts.
package final class JobSlot: Sendable {
    private let isTaken = Mutex(false)

    /// The right to run, given back when the ticket goes, even if the answer that holds it is never begun; nil when
    /// another holds it.
    package func take() -> Ticket? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return isFree ? Ticket(slot: self) : nil
    }

    /// Whether somebody has the right to run.
    package var isInUse: Bool { isTaken.withLock(\.self) }

    package final class Ticket: Sendable {
        private let slot: JobSlot

        fileprivate init(slot: JobSlot) {
            self.slot = slot
        }

        deinit {
            slot.isTaken.withLock { $0 = false }
        }
    }
}
