import HTTPTypes
import Hummingbird
import Requests
import Server
import Transport

/// Adds the response header fields that permit web pages to read responses of the photo API (Fetch §3.2). The database
/// adds its own.
struct CORSMiddleware: RouterMiddleware {
    /// The origins whose pages may, in addition to the service's own.
    let origins: AllowedOrigins

    private static let exposed = """
        Accept-Ranges, Content-Length, Content-Location, Content-Range, ETag, Location, Preference-Applied, Retry-After, \
        Tintype-Token, Tus-Checksum-Algorithm, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Complete, \
        Upload-Defer-Length, Upload-Expires, Upload-Length, Upload-Limit, Upload-Metadata, Upload-Offset
        """

    func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard origins != .these([]) else { return response }
        // Caches store responses separately for each origin, because media may be cached for ever.
        if origins != .any { response.headers.vary(by: "Origin") }
        guard let allowed = origins.allowing(request.headers[.origin]) else { return response }
        response.headers[.accessControlAllowOrigin] = allowed
        response.headers[.accessControlExposeHeaders] = Self.exposed
        return request.head.isPreflight ? preflight(request, response) : response
    }

    /// Returns the response to a preflight request. It contains the methods of the refusal that the route answers to an
    /// unsupported method.
    private func preflight(_ request: Request, _ refusal: Response) -> Response {
        guard refusal.status == .methodNotAllowed else { return refusal }
        var headers = refusal.headers
        headers[.contentType] = nil
        headers[.accessControlAllowMethods] = headers[.allow]
        headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        headers[.accessControlMaxAge] = "3600"
        if request.headers[.requestPrivateNetwork] == "true" { headers[.allowPrivateNetwork] = "true" }
        return Response(status: .noContent, headers: headers)
    }
}
