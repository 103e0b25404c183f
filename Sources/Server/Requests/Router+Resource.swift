import API
import HTTPTypes
import Hummingbird

typealias Handler = @Sendable (Request, RequestContext) async throws -> Response

extension Router<RequestContext> {
    /// Declares a path and what may be done with it. `HEAD` goes with `GET`; any other method is answered with 405 and
    /// the list of those that are allowed.
    func resource(_ path: RouterPath, _ handlers: [HTTPRequest.Method: Handler]) {
        var handlers = handlers
        if let get = handlers[.get], handlers[.head] == nil {
            handlers[.head] = { request, context in try await get(request, context).createHeadResponse() }
        }
        let allowed = handlers.keys.map(\.rawValue).sorted().joined(separator: ", ")
        for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
            let handler =
                handlers[method] ?? { request, context in
                    let error = Failure(
                        .methodNotAllowed, "\(request.method.rawValue) is not possible here",
                        hint: "allowed: \(allowed)")
                    return Problem(error).response(trace: context.trace, headers: [.allow: allowed])
                }
            on(path, method: method, use: handler)
        }
    }
}
