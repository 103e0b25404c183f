import HTTPTypes
package import Hummingbird
import Transport

/// Adds the response header fields that permit web pages to use an application for Firebase's SDKs (Fetch §3.2): the
/// page's origin, and the header fields that its preflight names, because SDKs send several of their own.
package struct ClientCORS: RouterMiddleware {
    let origins: AllowedOrigins
    /// The allowed methods.
    let methods: String
    /// The response header fields that pages may read in addition to the always readable ones; nil for none.
    let exposed: String?

    package init(origins: AllowedOrigins, methods: String, exposed: String? = nil) {
        self.origins = origins
        self.methods = methods
        self.exposed = exposed
    }

    package func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.vary] = "Origin"
        guard let origin = request.headers[.origin], origins.contains(origin.lowercased()) else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = exposed
        guard request.method == .options else { return response }
        response.headers[.accessControlAllowMethods] = methods
        response.headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        response.headers[.accessControlMaxAge] = "3600"
        if request.headers[.requestPrivateNetwork] == "true" { response.headers[.allowPrivateNetwork] = "true" }
        return response
    }
}
