import API
import Database
import HTTPTypes
import Hummingbird
import NIOCore
import Posts
import ServiceLifecycle
import Tree

/// `/v1/posts/events`: posts as they are published and deleted, as server-sent events (WHATWG HTML §9.2), whose ids are
/// positions in the change log from which a reader can go on.
struct EventRoutes: Sendable {
    /// How many changes may wait to be noticed. They are noticed at once: a reader is read for from the change log.
    private static let bufferLimit = 64

    private let tree: TreeStore
    private let database: RealtimeDatabase
    private let media: MediaAccess
    private let keepAliveInterval: Duration

    init(_ tree: TreeStore, _ database: RealtimeDatabase, _ media: MediaAccess, keepAlive interval: Duration) {
        self.tree = tree
        self.database = database
        self.media = media
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
        let session = database.session(as: context.identity)
        try await session.judgeRead(of: Paths.posts)
        let lease = try context.begin(.stream)
        // First listen, then read: nothing lies between the two.
        let posts = try await tree.subscribe(to: Paths.posts, bufferLimit: Self.bufferLimit, readsValue: false)
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                wake.yield()
                defer { withExtendedLifetime(lease) {} }
                try await request.body.answerUntilEnd {
                    async let _ = watch(posts, waking: wake)
                    try await send(since: start, or: posts.token, to: &writer, at: wakes, in: session)
                } onEnd: {
                    wake.finish()
                }
                try await writer.finish(nil)
            })
    }

    /// Wakes the writer whenever a post has changed, and now and then for a sign of life.
    private func watch(_ posts: Subscription, waking wake: AsyncStream<Void>.Continuation) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask(name: "new posts") { for try await _ in posts { wake.yield() } }
            group.addTask(name: "keep-alive") {
                while true {
                    try await Task.sleep(for: keepAliveInterval)
                    wake.yield()
                }
            }
            defer {
                wake.finish()
                group.cancelAll()
            }
            try await group.next()
        }
    }

    /// Sends what there is to tell whenever there may be something, or after a while a sign of life.
    ///
    /// Events are read from the change log as fast as the reader takes them, so that nobody is cut off for having fallen
    /// behind. A slow reader holds a few megabytes of changes, or one that is larger.
    @concurrent private func send(
        since start: EventID?, or now: SyncToken, to writer: inout any ResponseBodyWriter, at wakes: AsyncStream<Void>,
        in session: DatabaseSession
    ) async throws {
        var token = start?.before ?? now
        var sign: String? = "new posts follow"
        var lastSent = ContinuousClock.now
        for await _ in wakes {
            // The rules may have changed, and with them who may read on.
            try await session.judgeRead(of: Paths.posts)
            if try await sendEvents(since: &token, after: start, to: &writer) { lastSent = .now }
            if sign == nil, lastSent + keepAliveInterval / 2 <= .now { sign = "keep-alive" }
            guard let comment = sign else { continue }
            try await writer.write(ByteBuffer(string: ": \(comment)\nid: \(token)\n\n"))
            sign = nil
            lastSent = .now
        }
    }

    /// Sends the events from a position on, and moves it behind them; or tells that nobody knows them any more.
    ///
    /// - Returns: Whether there were any.
    @concurrent private func sendEvents(
        since token: inout SyncToken, after start: EventID?, to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        var hasSent = false
        do {
            while true {
                let (changes, next, hasMore) = try await tree.snapshot { [token] snapshot in
                    try snapshot.changes(since: token, at: Paths.posts)
                }
                for change in changes {
                    let events = try await PostReader(tree).events(of: change)
                    for piece in events.pieces(of: change, after: start, media) {
                        try await writer.write(piece)
                        hasSent = true
                    }
                }
                token = next
                guard hasMore else { return hasSent }
            }
        } catch let error as TreeError where error.code == .tokenTooOld || error.code == .tokenUnknown {
            token = try await tree.token
            try await writer.write(ByteBuffer(string: "event: resnapshot\nid: \(token)\ndata: null\n\n"))
            return true
        }
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
    /// How many bytes are collected before they are written.
    private static let pieceBytes = 256 << 10

    /// The events of a change as text, in pieces that are made as they are asked for; each event has an id with which the
    /// next one is asked for.
    fileprivate func pieces(
        of change: Change, after start: EventID?, _ media: MediaAccess
    ) -> some Sequence<ByteBuffer> {
        let last = lastIndex { $0 != nil }
        var rest = enumerated().dropFirst(start?.toldCount(of: change) ?? 0).makeIterator()
        return AnyIterator {
            var piece = ByteBuffer()
            while piece.readableBytes < Self.pieceBytes, let (index, event) = rest.next() {
                guard let event else { continue }
                let id = index == last ? "\(change.token)" : "\(change.token)-\(index + 1)"
                piece.writeString(event.text(id: id, media))
            }
            return piece.readableBytes > 0 ? piece : nil
        }
    }
}

extension PostEvent {
    /// The event as it is sent.
    fileprivate func text(id eventID: String, _ media: MediaAccess) -> String {
        switch self {
        case .put(let id, let record, let position):
            let document = PostEventDocument(
                path: "/\(id)", data: PostDocument(media.signed(record)), position: position?.description)
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
