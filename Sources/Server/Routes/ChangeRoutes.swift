import API
import Database
package import DatabaseHTTP
import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
import ServiceLifecycle
package import Transport
import Tree

/// `/v1/changes`: every committed change of a part of the tree, once and in order, after a token.
///
/// The response is a page at once, a page as soon as there are changes (`wait`), or server-sent events, whose ids are
/// tokens.
package struct ChangeRoutes: Sendable {
    private let access: DatabaseAccess
    private let keepAliveInterval: Duration
    private let open: OpenStreams

    package init(_ access: DatabaseAccess, keepAlive interval: Duration, listedIn open: OpenStreams) {
        self.open = open
        self.access = access
        keepAliveInterval = interval
    }

    package func add(to routes: inout RouteTable) {
        let read = Endpoint(
            "listChanges", in: .database, "List the committed changes of the tree after a token, in order",
            [
                .query(
                    "path", .text(matching: "^[^\\x00-\\x1f\\x7f.#$\\[\\]]{0,190}$"),
                    "the path at, above and below which changes are reported"),
                .query("since", .text(matching: "^(oldest|now|[0-9]{1,18})$"), "the `token` of the answer before"),
                .query("limit", .integer(1...ChangesRequest.maxLimit), "the largest number of changes"),
                .query("wait", .integer(0...ChangesRequest.maxWait), "seconds to wait for a change"),
                .query("format", .text, "`export` for priorities, too"),
                .header("Last-Event-ID", .text(matching: "^[0-9]{1,18}$"), "in place of `since`"),
            ] + DatabaseAccess.parameters,
            answers: [.json(ChangesDocument.self), .events(ChangesDocument.Change.self)],
            errors: [.permissionDenied, .invalidNamespace, .invalidPath, .resnapshot], run: read)
        routes.add("/v1/changes", [.get: read])
    }

    @Sendable private func read(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let admitted = try access.admit(
            request.head, at: request.uri, from: context.client, by: context.proof, counting: context.activities)
        let requested = try ChangesRequest(request, context.query, admitted)
        try await requested.session.judgeRead(of: requested.path)
        let token = try await requested.session.token(of: requested.since)
        if request.headers[.accept]?.contains("text/event-stream") == true {
            let ticket = open.add(
                .stream, request.head.path, by: context.proof, from: context.client.address(of: request.head))
            return stream(request, requested, from: token, listedBy: ticket)
        }
        var page = try await requested.page(since: token)
        if page.entries.isEmpty, requested.wait > .zero { page = try await nextPage(requested, after: page) }
        return .changes(page)
    }

    /// Returns the next page that has changes, or an empty one when the time is over or the service stops.
    private func nextPage(_ requested: ChangesRequest, after page: ChangePage) async throws -> ChangePage {
        let deadline = ContinuousClock.now + requested.wait
        var page = page
        while page.entries.isEmpty, !Task.isShuttingDownGracefully, case let rest = deadline - .now, rest > .zero {
            if !page.hasMore {
                await cancelWhenGracefulShutdown { [page] in
                    await requested.session.waitForChange(after: page.next, atMost: rest)
                }
            }
            page = try await requested.page(since: page.next)
        }
        return page
    }

    // MARK: Events

    private func stream(
        _ request: Request, _ requested: ChangesRequest, from token: SyncToken, listedBy ticket: OpenStreams.Ticket
    ) -> Response {
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-cache"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(ticket) {} }
                let (stops, stop) = AsyncStream.makeStream(of: Void.self)
                try await request.body.answerUntilEnd {
                    try await write(requested, from: token, to: &writer, until: stops)
                } onEnd: {
                    stop.finish()
                }
                try await writer.finish(nil)
            })
    }

    /// Writes events until the reader disconnects or the service stops.
    private func write(
        _ requested: ChangesRequest, from token: SyncToken, to writer: inout any ResponseBodyWriter,
        until stops: AsyncStream<Void>
    ) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stops {}
                return false
            }
            defer { group.cancelAll() }
            var token = token
            // An invalid token is not sent as an id: the client would reconnect with it forever.
            var lastWritten: ContinuousClock.Instant?
            while true {
                let page: ChangePage
                do {
                    page = try await requested.page(since: token)
                } catch let error as Failure {
                    guard error.code == .resnapshot else { throw error }
                    return try await writer.write(ByteBuffer(string: "event: resnapshot\ndata: null\n\n"))
                }
                if lastWritten == nil { try await writer.write(Self.sign(of: token)) }
                token = page.next
                for entry in page.entries { try await writer.write(entry.event) }
                var last = lastWritten ?? .now
                if !page.entries.isEmpty {
                    last = .now
                } else if last + keepAliveInterval <= .now {
                    try await writer.write(Self.sign(of: token))
                    last = .now
                }
                lastWritten = last
                if page.hasMore { continue }
                group.addTask { [token, rest = last + keepAliveInterval - .now] in
                    await requested.session.waitForChange(after: token, atMost: max(rest, .zero))
                    return true
                }
                guard try await group.next() == true else { return }
            }
        }
    }

    /// Returns a keep-alive with the position of the stream, so that a client that reconnects need not begin before it.
    private static func sign(of token: SyncToken) -> ByteBuffer {
        ByteBuffer(string: ": keep-alive\nid: \(token)\n\n")
    }
}

/// A request for changes.
private struct ChangesRequest: Sendable {
    static let maxLimit = 1000
    /// The longest wait, in seconds.
    static let maxWait = 60

    let session: DatabaseSession
    let since: ChangePosition
    let wait: Duration
    fileprivate let path: TreePath
    private let limit: Int
    private let form: JSONForm

    init(_ request: Request, _ query: RequestFields, _ admitted: AdmittedRequest) throws(Failure) {
        session = admitted.session
        do {
            path = try TreePath(query["path"] ?? "", in: admitted.namespace)
        } catch {
            throw DatabasePath.invalid(error.message)
        }
        since = try Self.position(request.headers[.lastEventID] ?? query["since"])
        limit = try Self.number(query["limit"], "limit", in: 1...Self.maxLimit) ?? 100
        let seconds = try Self.number(query["wait"], "wait", in: 0...Self.maxWait)
        wait = .seconds(seconds ?? 0)
        form = admitted.parameters.isExport ? .export : .plain
    }

    /// Returns the changes after a token, as many as fit into a response.
    func page(since token: SyncToken) async throws -> ChangePage {
        try await session.changes(since: token, at: path, limit: limit, form)
    }

    private static func position(_ text: String?) throws(Failure) -> ChangePosition {
        switch text {
        case nil, "now": return .now
        case "oldest": return .oldest
        case let text?:
            guard let sequence = UInt64(text) else {
                throw Failure(.badRequest, "since is not a token", hint: "Use the token of an answer, oldest or now.")
            }
            return .token(SyncToken(sequence: sequence))
        }
    }

    private static func number(
        _ text: String?, _ name: String, in range: ClosedRange<Int>
    ) throws(Failure) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Failure(
                .badRequest, "\(name) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension ChangePage.Entry {
    fileprivate var event: ByteBuffer {
        var buffer = ByteBuffer(string: "event: change\nid: \(token)\ndata: ")
        buffer.writeBytes(json)
        buffer.writeString("\n\n")
        return buffer
    }
}

extension Response {
    fileprivate static func changes(_ page: ChangePage) -> Response {
        var body = ByteBuffer(string: "{\"changes\":[")
        for (index, entry) in page.entries.enumerated() {
            if index > 0 { body.writeString(",") }
            body.writeBytes(entry.json)
        }
        body.writeString("],\"token\":\"\(page.next)\",\"more\":\(page.hasMore)}\n")
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: body))
    }
}

extension HTTPField.Name {
    static var lastEventID: HTTPField.Name { HTTPField.Name(parsed: "last-event-id") }
}
