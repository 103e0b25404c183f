/// The states of a part of the tree: the present one, and one after each change, as long as the loop over it runs.
///
/// Each loop has a connection of its own, which ends with the loop or with its task. A connection that was cut is made
/// again, after growing waits, and the sequence continues with the state at that time. A loop that is slower than the
/// changes gets the newest state, and none of those that it has missed.
///
/// The sequence throws `Problem` if the service refuses to go on, for example because the rules have changed, and
/// `SessionError` if the session must sign in.
public struct TreeSnapshots<Element: Sendable>: AsyncSequence, Sendable {
    private let run: @Sendable (_ emit: (Element) -> Void) async throws -> Void

    init<Node: ObservedNode>(_ listener: TreeListener<Node>) where Node.Snapshot == Element {
        run = { emit in try await listener.run(emit) }
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            do {
                try await run { continuation.yield($0) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return Iterator(stream: stream)
    }

    /// The reader of the states.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: AsyncThrowingStream<Element, any Error>

        /// Waits for the next state, and returns it; nil if the task was cancelled.
        public mutating func next() async throws -> Element? {
            // An iterator of such a stream has no state of its own.
            var iterator = stream.makeAsyncIterator()
            do { return try await iterator.next() } catch is CancellationError { return nil }
        }
    }
}
