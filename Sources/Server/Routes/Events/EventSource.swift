import API
import Tree

/// A source of server-sent events, change by change, from the change log.
protocol EventSource: Sendable {
    associatedtype Entry: Sendable

    /// The comment at the beginning of the stream.
    var greeting: String { get }

    /// The interval at which the source is also read without a change that it listens to; nil for never.
    var interval: Duration? { get }

    /// Checks that the listener may still read; the rules may have changed.
    func judge() async throws

    /// Begins to listen for changes: each of the sequences has an element when there may be new events.
    ///
    /// - Parameter bufferLimit: The number of buffered notifications.
    func listen(bufferLimit: Int) async throws -> [Subscription]

    /// Returns the changes that were committed after a position, as many as fit into a few megabytes; the position at
    /// which the next ones begin, and whether there may be more already.
    ///
    /// - Throws: `TreeError` with the code `token_too_old` or `token_unknown`.
    func changes(since token: SyncToken) async throws -> (changes: [Entry], next: SyncToken, hasMore: Bool)

    /// Returns the position just after a change, and the number of its possible events.
    func extent(of entry: Entry) -> (token: SyncToken, count: Int)

    /// Returns the messages for some of the events of a change; nil for events that do not concern the listener.
    func messages(of entry: Entry, _ numbers: Range<Int>) async throws -> [EventMessage?]

    /// Returns the id of an event as it is sent.
    ///
    /// - Parameter text: The position of the event.
    func id(_ text: String) -> String
}

extension EventSource {
    var interval: Duration? { nil }

    func id(_ text: String) -> String { text }
}

/// An event without its id.
enum EventMessage: Sendable {
    case event(String, data: String)
    /// A comment, which clients ignore; it is for people who read the text.
    case comment(String)

    static func event(_ name: String, _ document: some Document) -> EventMessage {
        .event(name, data: String(decoding: document.json(), as: UTF8.self))
    }

    /// The request to read everything again.
    static let resnapshot = EventMessage.event("resnapshot", data: "null")

    /// Returns the text of the event.
    func text(id: String) -> String {
        switch self {
        case .event(let name, let data): "event: \(name)\nid: \(id)\ndata: \(data)\n\n"
        case .comment(let text): ": \(text)\nid: \(id)\n\n"
        }
    }
}
