import Hummingbird

/// Hands each request to the routes or to the database, whose paths no router knows beforehand.
struct Dispatcher: HTTPResponder {
    let routes: RouterResponder<RequestContext>
    let database: any HTTPResponder<RequestContext>

    func respond(to request: Request, context: RequestContext) async throws -> Response {
        request.head.isForDatabase
            ? try await database.respond(to: request, context: context)
            : try await routes.respond(to: request, context: context)
    }
}
