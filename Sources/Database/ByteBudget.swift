package import API
import Synchronization

/// A bound on how many bytes of request bodies are in work at once.
package final class ByteBudget: Sendable {
    private let maxBytes: Int
    private let usedBytes = Atomic(0)

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    /// A part of the budget that belongs to one request, and comes back when the request is done with.
    package final class Share: Sendable {
        private let budget: ByteBudget
        private let byteCount = Atomic(0)

        fileprivate init(of budget: ByteBudget) { self.budget = budget }

        /// Takes more of the budget.
        ///
        /// Nobody waits: two that hold a half each would wait for ever.
        ///
        /// - Throws: `Failure` with the code `too_many_writes` when others have the rest.
        package func take(_ count: Int) throws(Failure) {
            byteCount.add(count, ordering: .relaxed)
            guard budget.usedBytes.add(count, ordering: .relaxed).newValue <= budget.maxBytes else {
                throw Failure(
                    .tooManyWrites, "too much is being written at once",
                    hint: "try again when other large writes are done")
            }
        }

        deinit { budget.usedBytes.subtract(byteCount.load(ordering: .relaxed), ordering: .relaxed) }
    }

    /// Begins a share.
    func share() -> Share { Share(of: self) }
}

extension RealtimeDatabase {
    /// Begins a share of the budget of all that is being written: for a message whose end has not come.
    package func memoryShare() -> ByteBudget.Share { budget.share() }
}
