import API
import Tree

/// Something that is told as server-sent events, change by change, from the change log.
protocol EventSource: Sendable {
    associatedtype Entry: Sendable

    /// What the stream begins with, as a comment.
    var greeting: String { get }

    /// Sees to it that whoever listens may be told more. The rules may have changed, and with them who may read on.
    func judge() async throws

    /// Begins to notice changes: each of the sequences has an element when there may be something to tell.
    ///
    /// - Parameter bufferLimit: How many changes may wait to be noticed.
    func listen(bufferLimit: Int) async throws -> [Subscription]

    /// The changes that were committed after a position, as many as fit into a few megabytes; the position at which the next
    /// ones begin, and whether there may be more already.
    ///
    /// - Throws: `TreeError` with the code `token_too_old` or `token_unknown`.
    func changes(since token: SyncToken) async throws -> (changes: [Entry], next: SyncToken, hasMore: Bool)

    /// The position just after a change, and the number of things in it that may be told.
    func extent(of entry: Entry) -> (token: SyncToken, count: Int)

    /// What is to be told of some things of a change; nil for what is nothing to whoever listens.
    func messages(of entry: Entry, _ numbers: Range<Int>) async throws -> [EventMessage?]
}

/// An event without its id.
enum EventMessage: Sendable {
    case event(String, data: String)
    /// What no reader is told but those who look at the text.
    case comment(String)

    static func event(_ name: String, _ document: some Document) -> EventMessage {
        .event(name, data: String(decoding: document.json(), as: UTF8.self))
    }

    /// All is to be read again.
    static let resnapshot = EventMessage.event("resnapshot", data: "null")

    /// The event as it is sent.
    func text(id: String) -> String {
        switch self {
        case .event(let name, let data): "event: \(name)\nid: \(id)\ndata: \(data)\n\n"
        case .comment(let text): ": \(text)\nid: \(id)\n\n"
        }
    }
}
