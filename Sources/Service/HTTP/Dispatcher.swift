import DatabaseHTTP
import HTTPTypes
import Hummingbird
import Requests
import Server
import Transport

/// The choice between the applications of the server: the photo API, the database and the bucket, whose paths are not
/// known to a router beforehand, and the identity endpoints. Each has its own middleware and its own form of errors.
struct Dispatcher: HTTPResponder {
    let photos: any HTTPResponder<HTTPContext>
    let database: DatabaseApplication
    /// The identity endpoints; nil for a service without accounts.
    let identity: (any HTTPResponder<HTTPContext>)?
    let storage: any HTTPResponder<HTTPContext>
    let traffic: Traffic
    let metrics: RequestMetrics
    /// The log of all requests; nil for none.
    let accessLog: AccessLog?

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        traffic.countRequest()
        guard let accessLog else { return try await answer(to: request, context: context) }
        let logged = LoggedRequest(request.head, context, in: accessLog)
        return logged.attached(to: try await answer(to: request, context: context))
    }

    private func answer(to request: Request, context: HTTPContext) async throws -> Response {
        let (part, responder) = choice(for: request)
        return try await metrics.record(request.method, part, context) {
            guard part == nil else { return try await responder.respond(to: request, context: context) }
            let answer = try await responder.respond(to: RouteTable.known(request), context: context)
            return context.followUp.attached(to: answer)
        }
    }

    /// Returns the application for a request; its part is nil for the photo API.
    private func choice(for request: Request) -> (RequestMetrics.Part?, any HTTPResponder<HTTPContext>) {
        // An object's name may end in .json.
        if StorageResponder.isFor(request.uri.path) { return (.bucket, storage) }
        if let identity, IdentityResponder.isFor(request.uri.path) { return (.identity, identity) }
        if RealtimeResponder.isFor(request.head) { return (.wire, database.wire) }
        return Self.isForDatabase(request.head) ? (.database, database.rest) : (nil, photos)
    }

    /// Returns the part that takes over the connection of a request.
    func owner(for request: HTTPRequest, from client: ClientConnection) -> TakeoverHandler.Choice {
        guard WebSocketHandshake.isMeant(by: request) || Self.isForDatabase(request) else { return .nobody }
        let owner = database.owner(for: request, from: client)
        switch owner {
        case .owner, .opened:
            traffic.countRequest()
            metrics.count(WebSocketHandshake.isMeant(by: request) ? .webSocket : .eventStream)
        case .nobody, .after: break
        }
        return accessLog.map { logged(owner, of: request, from: client, in: $0) } ?? owner
    }

    /// Returns a choice whose owner is written to the access log at its end.
    private func logged(
        _ choice: TakeoverHandler.Choice, of request: HTTPRequest, from client: ClientConnection, in log: AccessLog
    ) -> TakeoverHandler.Choice {
        switch choice {
        case .nobody, .after: return choice
        case .owner(let owner):
            return .owner(LoggedOwner(owner, AccessLogEntry(request, from: client, trace: nil), in: log))
        case .opened(let open):
            let entry = AccessLogEntry(request, from: client, trace: nil)
            return .opened { eventLoop in LoggedOwner(open(eventLoop), entry, in: log) }
        }
    }

    /// Whether a request is for the database. Its path ends in `.json`; in the photo API only the description's
    /// does.
    private static func isForDatabase(_ request: HTTPRequest) -> Bool {
        guard DatabaseApplication.isForNode(request),
            let path = request.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") })
        else { return false }
        return !path.elementsEqual(OpenAPI.path.utf8) && !StorageResponder.isFor(Substring(path))
    }
}
