import API
package import HTTPTypes
package import Hummingbird
import Transport
import TreeModel

/// The operations of the service, by path and method.
package struct RouteTable: Sendable {
    private(set) var paths: [(path: String, operations: [HTTPRequest.Method: Endpoint])] = []
    /// The described paths that other applications serve.
    private(set) var elsewhere: [(path: String, operations: [HTTPRequest.Method: Endpoint])] = []

    package init() {}

    /// Adds a path, such as `/v1/uploads/{id}`, and its operations. `GET` also answers `HEAD`, unless it is declared;
    /// other methods are answered with 405 and the list of the permitted ones.
    package mutating func add(_ path: String, _ operations: [HTTPRequest.Method: Endpoint]) {
        paths.append((path, operations))
    }

    /// Adds a path to the description whose operations another application serves.
    package mutating func describe(_ path: String, _ operations: [HTTPRequest.Method: Endpoint]) {
        elsewhere.append((path, operations))
    }

    /// Adds the description of everything declared so far, and of itself.
    ///
    /// - Parameter origin: The public address of the service; nil if it has none.
    package mutating func addDescription(version: String, origin: String?) {
        func operation(_ run: @escaping Handler) -> Endpoint {
            let answer = AnswerDescription.json(Schema.object([:], isOpen: true).named("OpenAPIDescription"))
            return Endpoint(
                "getDescription", in: .service, "Get this description (OpenAPI 3.1)", answers: [answer], run: run)
        }
        var described = self
        described.add(OpenAPI.path, [.get: operation { _, _ in Response(status: .notFound) }])
        add(
            OpenAPI.path,
            [
                .get: operation { [described] _, _ in
                    .json(OpenAPI(described, version: version, origin: origin).document)
                }
            ])
    }

    package func register(with router: Router<HTTPContext>) {
        for (path, operations) in paths {
            var handlers = operations.mapValues { operation in
                { @Sendable (request: Request, context: HTTPContext) in
                    try await operation.respond(to: request, context)
                }
            }
            if let get = handlers[.get], handlers[.head] == nil {
                handlers[.head] = { request, context in try await get(request, context).createHeadResponse() }
            }
            let allowed = handlers.keys.map(\.rawValue).sorted().joined(separator: ", ")
            for method in Self.methods {
                router.on(RouterPath(path), method: method, use: handlers[method] ?? Self.refusal(allowed))
            }
        }
    }

    /// The methods that the router knows; it can refuse only these.
    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, unknown]
    /// The method that stands for every other method.
    private static let unknown = HTTPRequest.Method.trace

    /// Returns a request whose method the router knows.
    package static func known(_ request: Request) -> Request {
        guard !methods.contains(request.method) else { return request }
        var head = request.head
        head.method = unknown
        return Request(head: head, body: request.body)
    }

    private static func refusal(_ allowed: String) -> Handler {
        { request, context in
            let method = request.method == unknown ? "this method" : request.method.rawValue
            let error = Failure(
                .methodNotAllowed, "\(method) is not possible here", hint: "Use an allowed method: \(allowed).")
            return Problem(error).response(trace: context.trace, headers: [.allow: allowed])
        }
    }
}
