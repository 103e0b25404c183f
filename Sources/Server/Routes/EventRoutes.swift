import API
import HTTPTypes
import Hummingbird
import NIOCore
import Posts
import ServiceLifecycle
import Tree

/// `/v1/posts/events`: posts as they are published and deleted, as server-sent events (WHATWG HTML §9.2), whose ids are
/// positions in the change log from which a reader can go on.
struct EventRoutes: Sendable {
    /// By how many changes a reader may fall behind before it is cut off; it can come again and go on.
    private static let bufferLimit = 256
    /// How many changes are read at a time for a reader that has missed some.
    private static let missedAtOnce = 100

    private let tree: TreeStore
    private let keepAliveInterval: Duration

    init(_ tree: TreeStore, keepAlive interval: Duration) {
        self.tree = tree
        keepAliveInterval = interval
    }

    func add(to routes: inout RouteTable) {
        let follow = Operation(
            "Posts as they are published and deleted, as server-sent events.",
            [
                .query("since", .text, "the id of an event, or the header `Tintype-Token` of a list"),
                .header("Last-Event-ID", .text, "in place of `since`"),
            ],
            answers: [.events(PostEventDocument.self)], run: follow)
        routes.add("/v1/posts/events", [.get: follow])
    }

    @Sendable private func follow(_ request: Request, _ context: RequestContext) async throws -> Response {
        let start = try EventID.requested(by: request, context.query)
        // First listen, then read what was missed: nothing lies between the two.
        let posts = try await tree.subscribe(to: Paths.posts, bufferLimit: Self.bufferLimit, readsValue: false)
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                let messages = Messages(limit: Self.bufferLimit)
                try await request.body.answerUntilEnd {
                    try await writeMissed(since: start, until: posts.token, to: &writer)
                    try await writer.write(ByteBuffer(string: ": new posts follow\nid: \(posts.token)\n\n"))
                    try await write(messages, of: posts, to: &writer)
                } onEnd: {
                    messages.finish()
                }
                try await writer.finish(nil)
            })
    }

    /// Writes what a reader has missed, or that nobody knows that any more.
    @concurrent private func writeMissed(
        since start: EventID?, until end: SyncToken, to writer: inout any ResponseBodyWriter
    ) async throws {
        guard let start else { return }
        do {
            var token = start.before
            while token < end {
                let changes = try await tree.changes(since: token, at: Paths.posts, limit: Self.missedAtOnce)
                for change in changes where change.token <= end {
                    let message = try await PostReader(tree).events(of: change).message(of: change, after: start)
                    if let message { try await writer.write(message) }
                }
                guard changes.count == Self.missedAtOnce, let last = changes.last else { return }
                token = last.token
            }
            guard token > end else { return }
        } catch let error as TreeError where error.code == .tokenTooOld || error.code == .tokenUnknown {}
        try await writer.write(ByteBuffer(string: "event: resnapshot\nid: \(end)\ndata: null\n\n"))
    }

    /// Writes until there are no more messages, or the reader has fallen too far behind.
    private func write(
        _ messages: Messages, of posts: Subscription, to writer: inout any ResponseBodyWriter
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask(name: "new posts") { await messages.sendPosts(of: posts, PostReader(tree)) }
            group.addTask(name: "keep-alive") {
                while true {
                    try await Task.sleep(for: keepAliveInterval)
                    messages.send(ByteBuffer(string: ": keep-alive\n\n"))
                }
            }
            defer { group.cancelAll() }
            for try await message in messages.stream {
                try await writer.write(message)
            }
        }
    }
}

/// What one reader has still to be sent; bounded.
private struct Messages: Sendable {
    let stream: AsyncThrowingStream<ByteBuffer, any Error>
    private let continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

    init(limit: Int) {
        (stream, continuation) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// Sends one message, or cuts the reader off when it is too far behind to miss nothing.
    func send(_ message: ByteBuffer) {
        if case .dropped = continuation.yield(message) {
            continuation.finish(throwing: TreeError(.overflow, "the reader is too slow"))
        }
    }

    func sendPosts(of posts: Subscription, _ reader: PostReader) async {
        do {
            for try await change in posts {
                if let message = try await reader.events(of: change).message(of: change) { send(message) }
            }
            finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }

    func finish() {
        continuation.finish()
    }
}

// MARK: Messages

/// The id of an event: `42` for the last one of change 42, `42-1` when one write of that change has been told and others
/// follow.
private struct EventID {
    private let sequence: UInt64
    /// How many writes of the change have been told; nil for all of them.
    private let toldCount: Int?

    /// The id of the last event that a reader has seen; nil when the reader begins with now.
    ///
    /// - Throws: `Failure` `bad_request` for a query that is none. A header that is none comes from another service at
    ///   this address: then nothing is known of what was missed.
    static func requested(by request: Request, _ query: FormFields) throws(Failure) -> EventID? {
        if let text = request.headers[.lastEventID], !text.isEmpty {
            return EventID(text) ?? EventID(sequence: .max, toldCount: nil)
        }
        guard let text = query["since"] else { return nil }
        guard let id = EventID(text) else {
            throw Failure(
                .badRequest, "since is no event's id",
                hint: "use the id of the last event, or the header Tintype-Token of a list of posts")
        }
        return id
    }

    private init(sequence: UInt64, toldCount: Int?) {
        self.sequence = sequence
        self.toldCount = toldCount
    }

    private init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let sequence = UInt64(parts[0]) else { return nil }
        self.init(sequence: sequence, toldCount: nil)
        guard parts.count == 2 else { return }
        guard sequence > 0, let count = Int(parts[1]), count > 0 else { return nil }
        self.init(sequence: sequence, toldCount: count)
    }

    /// The position in the change log from which to read.
    var before: SyncToken { SyncToken(sequence: toldCount == nil ? sequence : sequence - 1) }

    /// How many writes of a change have been told.
    func toldCount(of change: Change) -> Int { change.token.sequence == sequence ? toldCount ?? 0 : 0 }
}

extension [PostEvent?] {
    /// The events of a change as text; nil when there is nothing to tell.
    ///
    /// Each has an id with which the next one is asked for. They are one message, so that none is held back alone.
    fileprivate func message(of change: Change, after start: EventID? = nil) -> ByteBuffer? {
        let last = lastIndex { $0 != nil }
        var message = ByteBuffer()
        for (index, event) in enumerated().dropFirst(start?.toldCount(of: change) ?? 0) {
            guard let event else { continue }
            let id = index == last ? "\(change.token)" : "\(change.token)-\(index + 1)"
            message.writeString(event.text(id: id))
        }
        return message.readableBytes > 0 ? message : nil
    }
}

extension PostEvent {
    /// The event as it is sent.
    fileprivate func text(id eventID: String) -> String {
        switch self {
        case .put(let id, let record, let position):
            let document = PostEventDocument(
                path: "/\(id)", data: PostDocument(record), position: position?.description)
            return "event: put\nid: \(eventID)\ndata: \(String(decoding: document.json(), as: UTF8.self))\n\n"
        case .deleted(let id):
            let document = PostEventDocument(path: "/\(id)", data: nil, position: nil)
            return "event: put\nid: \(eventID)\ndata: \(String(decoding: document.json(), as: UTF8.self))\n\n"
        case .unreadable(let id, let fault):
            return ": posts/\(id) is no post: \(fault)\nid: \(eventID)\n\n"
        case .replaced:
            return "event: resnapshot\nid: \(eventID)\ndata: null\n\n"
        }
    }
}
