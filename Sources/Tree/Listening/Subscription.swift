/// A listener at a path, as a sequence: what was there at first, then every change of it, in order, none lost and none
/// twice.
///
///     let subscription = try await store.subscribe(to: "feed" / uid)
///     show(subscription.value)
///     for try await change in subscription { show(change.writes) }
///
/// The paths of a change's writes are below the subscription's; the root path is the subscribed path itself, replaced
/// by a write at it or above it. A subscription is for one reader; dropping it, or cancelling the task that iterates,
/// ends it. The sequence ends when the store is closed, and throws ``TreeError`` with code `overflow` when the reader
/// fell behind by more changes than the buffer holds: what came before that has been delivered, so that reading on from
/// the last token loses nothing.
public struct Subscription: AsyncSequence, Sendable {
    /// The value that was at the path when the subscription began; nil, too, when it was not to be read.
    public let value: TreeValue?
    /// The position in the change log of ``value``; all changes come after it.
    public let token: SyncToken

    let changes: AsyncThrowingStream<Change, any Error>

    /// Begins to read the changes.
    public func makeAsyncIterator() -> Iterator { Iterator(token: token, base: changes.makeAsyncIterator()) }

    /// Reads the changes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let token: SyncToken
        var base: AsyncThrowingStream<Change, any Error>.Iterator

        /// The next change; nil when the subscription has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(TreeError) -> Change? {
            do {
                // Listening began before the value was read: the first changes may already be part of it.
                while let change = try await base.next(isolation: actor) {
                    if change.token > token { return change }
                }
                return nil
            } catch {
                throw error as? TreeError ?? TreeError(.engine, "\(error)", cause: error)
            }
        }
    }

    /// The changes that the reader has not taken yet.
    struct Buffer: Sendable {
        let continuation: AsyncThrowingStream<Change, any Error>.Continuation

        /// Adds a change, if it concerns the node; cuts the reader off when the buffer is full, or on a failure.
        func add(_ change: Result<Change?, TreeError>) {
            switch change {
            case .success(nil): return
            case .failure(let error): continuation.finish(throwing: error)
            case .success(let change?):
                guard case .dropped = continuation.yield(change) else { return }
                continuation.finish(
                    throwing: TreeError(
                        .overflow, "the listener fell behind by more changes than its buffer holds",
                        hint: "subscribe again, or read the changes since the last token"))
            }
        }

        func finish() { continuation.finish() }
    }
}
