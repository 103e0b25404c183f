/// A listener at a path: what was there at first, then every change of it, in order, none lost and none twice.
///
///     let subscription = try await store.subscribe(to: "feed" / uid)
///     show(subscription.value)
///     for try await event in subscription { show(event) }
///
/// It is for one reader; dropping it, or cancelling the task that iterates, ends it. The sequence ends when the store is
/// closed, and throws ``TreeError`` with code `overflow` when the reader fell behind by more events than the buffer
/// holds: what came before that has been delivered, so reading on from the last token loses nothing.
public struct Subscription: AsyncSequence, Sendable {
    /// What was at the path when the subscription began; nil, too, when it was not to be read.
    public let value: TreeValue?
    /// The position in the change log of ``value``; all events come after it.
    public let token: SyncToken

    let events: AsyncThrowingStream<TreeEvent, any Error>

    /// Begins to read the events.
    public func makeAsyncIterator() -> Iterator { Iterator(token: token, base: events.makeAsyncIterator()) }

    /// Reads the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let token: SyncToken
        var base: AsyncThrowingStream<TreeEvent, any Error>.Iterator

        /// The next event; nil when the subscription has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(TreeError) -> TreeEvent? {
            do {
                // Listening began before the value was read: the first events may already be part of it.
                while let event = try await base.next(isolation: actor) {
                    if event.token > token { return event }
                }
                return nil
            } catch {
                throw error as? TreeError ?? TreeError(.engine, "\(error)", cause: error)
            }
        }
    }
}
