import Hummingbird

/// Hands each request to the routes or to the database, whose paths no router knows beforehand.
struct DoorResponder: HTTPResponder {
    let routes: RouterResponder<DoorContext>
    let database: any HTTPResponder<DoorContext>

    func respond(to request: Request, context: DoorContext) async throws -> Response {
        request.head.isForDatabase
            ? try await database.respond(to: request, context: context)
            : try await routes.respond(to: request, context: context)
    }
}
