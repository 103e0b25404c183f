import API
import Access
import Database
import HTTPTypes
import Hummingbird
import Model
import Requests
import Server
import Tree

/// Closes what routes decide without the rules, as far as the rules close it. It follows the admission.
struct VisibilityMiddleware: RouterMiddleware {
    let visibility: Visibility
    let tree: TreeStore
    let database: RealtimeDatabase

    func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        // An admin is not bound by rules, and a stranger is bound by every route.
        guard case .user = context.identity else { return try await next(request, context) }
        let state = try await visibility.state
        var context = context
        if state.isForMembers, context.identity.isAnonymousAccount {
            switch request.method {
            case .get, .head: context.proof = .anonymous
            // What they have written before can be withdrawn.
            case .delete, .options: break
            default:
                throw Failure(
                    .notAllowed, "anonymous accounts take no part in this service",
                    hint: "Sign in with an account that has a name and a password.")
            }
        }
        if state.hidesPosts, ![.get, .head, .delete, .options].contains(request.method),
            let id = Self.post(at: request.uri.path)
        {
            try await requireReading(id, context)
        }
        return try await next(request, context)
    }

    /// Returns the post whose likes, comments or flags have the path.
    private static func post(at path: String) -> PostID? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 4, parts[1] == "v1", parts[2] == "posts" else { return nil }
        return PostID(String(parts[3]))
    }

    /// Checks that the requester may read a post. The routes themselves decide about posts for audiences.
    ///
    /// - Throws: `Failure` with the code `not_found`: what one may not see does not exist.
    private func requireReading(_ id: PostID, _ context: HTTPContext) async throws {
        if try await context.mayRead(PostNodes.post(id), in: database) { return }
        guard try await tree.snapshot({ try $0.exists(AudienceNodes.post(id)) }) else { throw ReadablePost.noPost }
    }
}
