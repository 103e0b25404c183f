import CoreMetrics
import HTTPTypes
import Hummingbird
import Metering
import Requests

/// The metrics of requests. Labels are bounded: a route is a template of the photo API or a part of the server, never a
/// requested path.
struct RequestMetrics: Sendable {
    /// The parts of the server other than the routes of the photo API.
    enum Part: String {
        case bucket, database, identity
        /// The long polling of the wire protocol.
        case wire = "long-polling"
    }

    /// The protocols that take over a connection.
    enum Takeover: String, MetricLabels {
        case eventStream = "event-stream"
        case webSocket = "websocket"

        var pairs: [(String, String)] { [("protocol", rawValue)] }
    }

    private struct Route: MetricLabels {
        let method: String
        let route: String

        var pairs: [(String, String)] { [("method", method), ("route", route)] }
    }

    private struct Answered: MetricLabels {
        let route: Route
        /// The status of the response; nil if the connection broke before it.
        let status: Int?

        var pairs: [(String, String)] { route.pairs + [("status", status.map { String($0) } ?? "none")] }
    }

    /// The methods with labels of their own; all others share one.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let requests: MetricFamily<Answered, Counter>
    private let seconds: MetricFamily<Route, Timer>
    private let inWork: Meter
    private let takeovers: MetricFamily<Takeover, Counter>

    init(_ factory: any MetricsFactory) {
        requests = factory.counters(
            "tintype_http_requests_total", "Requests, by the template of their route and the status of their answer.",
            by: Answered.self)
        seconds = factory.timers(
            "tintype_http_request_seconds", "Time from a request's head until its answer began.", by: Route.self)
        inWork = factory.gauge("tintype_http_requests_in_work", "Requests whose answer has not begun.")
        takeovers = factory.counters(
            "tintype_http_takeovers_total", "Connections that became an event stream or a session of the database.",
            by: Takeover.self)
    }

    /// Handles a request, and records its duration and status.
    ///
    /// - Parameter part: The part of the server that handles it; nil for the photo API, whose router reports the route.
    /// - Throws: The errors of the body.
    func record(
        _ method: HTTPRequest.Method, _ part: Part?, _ context: HTTPContext, _ body: () async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var status: Int?
        inWork.increment()
        defer {
            inWork.decrement()
            let route = Route(
                method: Self.methods.contains(method) ? method.rawValue : "other",
                route: part?.rawValue ?? Self.template(context.endpointPath))
            requests[Answered(route: route, status: status)].increment()
            seconds[route].record(since: start)
        }
        let response = try await body()
        status = response.status.code
        return response
    }

    func count(_ takeover: Takeover) { takeovers[takeover].increment() }

    /// Returns the template of a route. The router marks a request without a route by a name that is not a path.
    private static func template(_ path: String?) -> String {
        guard let path, path.hasPrefix("/") else { return "other" }
        return path
    }
}
