import HTTPTypes
import Hummingbird

/// Tells browsers whose pages may use the identity endpoints (Fetch §3.2): it names the page's origin and allows the headers
/// that it asks for, as SDKs send several of their own.
struct IdentityCORS: RouterMiddleware {
    let origins: AllowedOrigins

    func handle(
        _ request: Request, context: RequestContext,
        next: @concurrent (Request, RequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.vary] = "Origin"
        guard let origin = request.headers[.origin], origins.contains(origin.lowercased()) else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        guard request.method == .options else { return response }
        response.headers[.accessControlAllowMethods] = "GET, POST, PATCH, DELETE, OPTIONS"
        response.headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        response.headers[.accessControlMaxAge] = "3600"
        if request.headers[.requestPrivateNetwork] == "true" { response.headers[.allowPrivateNetwork] = "true" }
        return response
    }
}
