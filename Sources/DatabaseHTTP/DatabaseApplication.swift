package import CoreMetrics
import Database
package import HTTPTypes
package import Hummingbird
import Logging
package import NIOCore
package import Requests
package import Transport

extension ErrorRenderer {
    /// The renderer for the database, whose errors have no trace.
    package static let database = ErrorRenderer(answer: { error, _ in DatabaseProblem(error).response }, level: .debug)
}

/// The database as an application of an HTTP server: REST, event streams and the wire protocol of Firebase's SDKs.
package struct DatabaseApplication: Sendable {
    /// Answers requests whose paths end in `.json`.
    package let rest: any HTTPResponder<HTTPContext>
    /// Answers requests of the wire protocol that are not WebSockets.
    package let wire: any HTTPResponder<HTTPContext>
    private let streams: EventStreams
    private let sockets: WebSocketSessions
    private let siteGuard: SiteGuard

    /// - Parameters:
    ///   - siteGuard: Keeps pages of other sites away.
    ///   - origins: The origins of the pages that may use the database.
    ///   - responses: Renders errors; its renderer is ``ErrorRenderer/database``.
    ///   - keepAlive: The time between signs of life of an event stream.
    ///   - patience: The longest time that a client may need for a piece of a message, or for the first events.
    ///   - metrics: Makes the metrics of listeners.
    package init(
        _ access: DatabaseAccess, _ admission: Admission, _ audit: AuditLog, siteGuard: SiteGuard,
        origins: AllowedOrigins, responses: ResponseMiddleware, keepAlive: Duration, patience: TimeAmount,
        metrics: any MetricsFactory
    ) {
        var siteGuard = siteGuard
        siteGuard.names.domains = HostNames.databaseDomains
        self.siteGuard = siteGuard
        streams = EventStreams(
            admission, access, origins: origins, starts: InitialEvents(patience: patience),
            keepAlive: TimeAmount(keepAlive), lag: DeliveryMetrics.eventStream.lag(metrics))
        sockets = WebSocketSessions(
            admission, access, siteGuard, patience: patience, lag: DeliveryMetrics.webSocket.lag(metrics))
        let router = Router(context: HTTPContext.self)
        router.add(middleware: GzipMiddleware())
        router.add(
            middleware: ClientCORS(
                origins: origins, methods: DatabaseResponder.methods, exposed: "ETag, Tintype-Token"))
        router.add(middleware: responses)
        router.add(middleware: siteGuard)
        router.add(middleware: AdmissionMiddleware(admission: admission, audit: audit))
        router.add(middleware: WriteTokenMiddleware(access.database.tree))
        rest = router.middlewares.constructResponder(
            finalResponder: DatabaseResponder(access: access, siteGuard: siteGuard))
        wire = router.middlewares.constructResponder(finalResponder: RealtimeResponder(sockets: sockets))
    }

    /// Whether a request's path is that of a node.
    package static func isForNode(_ request: HTTPRequest) -> Bool {
        guard let path = request.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }) else { return false }
        return path.suffix(5).elementsEqual(".json".utf8)
    }

    /// Returns the part that takes the connection of a request over: an event stream or a WebSocket session.
    package func owner(for request: HTTPRequest, from client: ClientConnection) -> TakeoverHandler.Choice {
        if WebSocketHandshake.isMeant(by: request) { return sockets.owner(for: request, from: client) }
        guard Self.isForNode(request), EventStreams.isAsked(by: request),
            (try? siteGuard.check(request, from: client)) != nil
        else { return .nobody }
        return streams.owner(for: request, from: client)
    }
}
