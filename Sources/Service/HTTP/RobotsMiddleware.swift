import HTTPTypes
import Hummingbird
import Requests
import Server
import Transport

/// Tells search engines to list nothing of a closed service.
struct RobotsMiddleware: RouterMiddleware {
    let visibility: Visibility

    func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        // A state that cannot be read is that of a closed service.
        if (try? await visibility.state)?.isClosed ?? true { response.headers[.robotsTag] = "noindex, nofollow" }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static var robotsTag: HTTPField.Name { HTTPField.Name(parsed: "x-robots-tag") }
}
