import API
package import Access
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import ServiceLifecycle
package import Transport
package import Tree

/// Answers with server-sent events (WHATWG HTML §9.2), whose ids are positions in the change log at which a reader can
/// resume.
///
/// Events are read from the change log as fast as the reader receives them, so that readers are not disconnected for
/// falling behind: a slow reader holds a few megabytes of changes, or a single larger one.
package struct EventResponder: Sendable {
    /// The number of buffered notifications. They are consumed at once, because the changes themselves are read from
    /// the change log.
    private static let bufferLimit = 64

    private let tree: TreeStore
    private let access: AccessControl
    private let keepAliveInterval: Duration
    private let open: OpenStreams

    /// - Parameter open: The list of open streams.
    package init(_ tree: TreeStore, _ access: AccessControl, keepAlive interval: Duration, listedIn open: OpenStreams) {
        self.open = open
        self.tree = tree
        self.access = access
        keepAliveInterval = interval
    }

    /// Returns a response with a source's events after a position, until the reader disconnects or loses its
    /// permission, or the service stops.
    ///
    /// - Parameter start: The last event that the reader has seen; nil for now.
    func response<S: EventSource>(
        of source: S, since start: EventID?, to request: Request, _ context: HTTPContext
    ) async throws -> Response {
        let lease = try context.begin(.stream)
        let ticket = open.add(
            .stream, request.head.path, by: context.proof, from: context.client.address(of: request.head))
        // Listening begins before reading, so that no change is missed between the two.
        let changes = try await source.listen(bufferLimit: Self.bufferLimit)
        let now = try await tree.token
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { [proof = context.proof] writer in
                let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                wake.yield()
                defer { withExtendedLifetime((lease, ticket)) {} }
                try await request.body.answerUntilEnd {
                    async let _ = watch(changes, every: source.interval, waking: wake)
                    var sender = Sender(source: source, tree: tree, start: start, token: start?.before ?? now)
                    try await send(&sender, by: proof, to: &writer, at: wakes)
                } onEnd: {
                    wake.finish()
                }
                try await writer.finish(nil)
            })
    }

    /// Wakes the writer after each change, and regularly for a keep-alive.
    private func watch(
        _ changes: [Subscription], every interval: Duration?, waking wake: AsyncStream<Void>.Continuation
    ) async throws {
        try await withThrowingTaskGroup { group in
            for subscription in changes {
                group.addTask(name: "changes") { for try await _ in subscription { wake.yield() } }
            }
            group.addTask(name: "keep-alive") {
                while true {
                    try await Task.sleep(for: min(interval ?? keepAliveInterval, keepAliveInterval))
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

    /// Sends new events whenever the writer is woken, or a keep-alive after a while.
    @concurrent private func send<S: EventSource>(
        _ sender: inout Sender<S>, by proof: Proof, to writer: inout any ResponseBodyWriter,
        at wakes: AsyncStream<Void>
    ) async throws {
        var sign: String? = sender.source.greeting
        var lastSent = ContinuousClock.now
        for await _ in wakes {
            guard (try? access.recheck(proof)) != nil else {
                return try await writer.write(
                    ByteBuffer(string: "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n"))
            }
            try await sender.source.judge()
            if try await sender.sendEvents(to: &writer) { lastSent = .now }
            if sign == nil, lastSent + keepAliveInterval / 2 <= .now { sign = "keep-alive" }
            guard let comment = sign else { continue }
            let id = sender.source.id("\(sender.token)")
            try await writer.write(ByteBuffer(string: EventMessage.comment(comment).text(id: id)))
            sign = nil
            lastSent = .now
        }
    }
}

/// Sends the events of one stream.
private struct Sender<S: EventSource> {
    /// The number of bytes that are collected before they are written.
    private static var pieceBytes: Int { 256 << 10 }
    /// The number of events of a change that are read from one state of the tree.
    private static var batch: Int { 32 }

    let source: S
    let tree: TreeStore
    /// The last event that the reader had seen when it connected; nil for none.
    let start: EventID?
    /// The position up to which all events have been sent.
    private(set) var token: SyncToken

    init(source: S, tree: TreeStore, start: EventID?, token: SyncToken) {
        self.source = source
        self.tree = tree
        self.start = start
        self.token = token
    }

    /// Sends new events; or `resnapshot` if the change log no longer has them.
    ///
    /// - Returns: Whether there were any.
    @concurrent mutating func sendEvents(to writer: inout any ResponseBodyWriter) async throws -> Bool {
        var hasSent = false
        do {
            while true {
                let (changes, next, hasMore) = try await source.changes(since: token)
                for change in changes where try await send(change, to: &writer) { hasSent = true }
                token = next
                guard hasMore else { return hasSent }
            }
        } catch let error as TreeError where error.code == .tokenTooOld || error.code == .tokenUnknown {
            token = try await tree.token
            try await writer.write(ByteBuffer(string: EventMessage.resnapshot.text(id: "\(token)")))
            return true
        }
    }

    /// Sends the events of a change in pieces that are created as the reader receives them; each event has an id after
    /// which a reader can resume.
    ///
    /// - Returns: Whether there were any.
    @concurrent private func send(_ change: S.Entry, to writer: inout any ResponseBodyWriter) async throws -> Bool {
        let (token, count) = source.extent(of: change)
        var piece = ByteBuffer()
        // The last event has the id of the change, and it is known only after the others.
        var last: (number: Int, message: EventMessage)?
        let told = min(start?.toldCount(at: token) ?? 0, count)
        for first in stride(from: told, to: count, by: Self.batch) {
            let messages = try await source.messages(of: change, first..<min(first + Self.batch, count))
            for (offset, message) in messages.enumerated() {
                guard let message else { continue }
                if let last { piece.writeString(last.message.text(id: source.id("\(token)-\(last.number + 1)"))) }
                last = (first + offset, message)
                guard piece.readableBytes >= Self.pieceBytes else { continue }
                try await writer.write(piece)
                piece.clear()
            }
        }
        guard let last else { return false }
        piece.writeString(last.message.text(id: source.id("\(token)")))
        try await writer.write(piece)
        return true
    }
}
