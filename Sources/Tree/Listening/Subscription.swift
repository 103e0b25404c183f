/// A listener at a path, as a sequence: the initial value, then every change in order, without losses or duplicates.
///
///     let subscription = try await store.subscribe(to: "feed" / uid)
///     show(subscription.value)
///     for try await change in subscription { show(change.writes) }
///
/// The paths of a change's writes are relative to the subscription's path; the root path means that the subscribed path
/// itself is replaced, by a write at it or above it. A subscription is for one reader. Dropping it, or cancelling the
/// task that iterates, ends it. The sequence ends when the store is closed. It throws ``TreeError`` with code
/// `overflow` if the reader falls behind by more changes than the buffer holds. All earlier changes have been delivered
/// then, so that reading from the last token on loses nothing.
public struct Subscription: AsyncSequence, Sendable {
    /// The value at the path when the subscription began; nil also if the value is not read.
    public let value: TreeValue?
    /// The position in the change log of ``value``; all changes are later.
    public let token: SyncToken

    let changes: AsyncThrowingStream<Change, any Error>

    /// Creates an iterator over the changes.
    public func makeAsyncIterator() -> Iterator { Iterator(token: token, base: changes.makeAsyncIterator()) }

    /// An iterator over the changes.
    public struct Iterator: AsyncIteratorProtocol {
        let token: SyncToken
        var base: AsyncThrowingStream<Change, any Error>.Iterator

        /// Returns the next change; nil when the subscription has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(TreeError) -> Change? {
            do {
                // Listening began before the value was read, so the value may already include the first changes.
                while let change = try await base.next(isolation: actor) {
                    if change.token > token { return change }
                }
                return nil
            } catch {
                throw error as? TreeError ?? TreeError(.engine, "\(error)", cause: error)
            }
        }
    }

    /// The changes that the reader has not received yet.
    struct Buffer: Sendable {
        let continuation: AsyncThrowingStream<Change, any Error>.Continuation

        /// Adds a change if it concerns the node; ends the subscription if the buffer is full, or on a failure.
        func add(_ change: Result<Change?, TreeError>) {
            switch change {
            case .success(nil): return
            case .failure(let error): continuation.finish(throwing: error)
            case .success(let change?):
                guard case .dropped = continuation.yield(change) else { return }
                continuation.finish(
                    throwing: TreeError(
                        .overflow, "the listener fell behind by more changes than its buffer holds",
                        hint: "Subscribe again, or read the changes since the last token."))
            }
        }

        func finish() { continuation.finish() }
    }
}
