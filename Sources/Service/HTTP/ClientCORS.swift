import HTTPTypes
import Hummingbird
import Requests
import Transport

/// Tells browsers whose pages may use an application that Firebase's SDKs speak to (Fetch §3.2): it names the page's origin and
/// allows the headers that it asks for, as SDKs send several of their own.
struct ClientCORS: RouterMiddleware {
    let origins: AllowedOrigins
    /// The methods that are answered.
    let methods: String
    /// The header fields of answers that pages may read; nil for none but those that they always may.
    var exposed: String?

    func handle(
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
