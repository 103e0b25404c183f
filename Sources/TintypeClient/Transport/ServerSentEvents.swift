internal import Foundation

/// An event of a stream (the HTML standard, §9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The name, `message` unless the stream says otherwise.
    public var name: String
    /// The data; several lines are joined by line feeds.
    public var data: String
    /// The last id that the stream has sent up to this event; nil for none.
    public var id: String?
}

/// The events of a stream. An event larger than 16 MiB ends it with `TransportError.Cause.tooLarge`.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// The events of a stream.
    public typealias Element = ServerSentEvent

    private let chunks: AsyncThrowingStream<Data, any Error>

    init(_ chunks: AsyncThrowingStream<Data, any Error>) { self.chunks = chunks }

    /// Begins to read the events.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    /// The reader of a stream.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: AsyncThrowingStream<Data, any Error>.Iterator
        private var chunk = Data()
        private var parser = EventParser()

        fileprivate init(chunks: AsyncThrowingStream<Data, any Error>.Iterator) { self.chunks = chunks }

        /// The time to wait before the stream is opened again, as the service wishes; nil for no wish so far.
        public var reconnectionTime: Duration? { parser.reconnectionTime }

        /// Returns the next event; nil at the end of the stream. An event without its empty line at the end is left out.
        ///
        /// - Throws: `TransportError`; `CancellationError` if the task was cancelled.
        @concurrent public mutating func next() async throws -> ServerSentEvent? {
            while true {
                if let event = try parser.nextEvent(in: &chunk) { return event }
                guard let next = try await chunks.next() else {
                    try Task.checkCancellation()
                    return nil
                }
                chunk = next
            }
        }
    }
}
