import API
import Access
import Foundation
import HTTPTypes
import Hummingbird
package import Keeping
import Model
package import Requests
import Transport
import TreeModel

/// `/v1/posts/{id}/moderation`: an admin's decision about a published post.
package struct ModerationRoutes: Sendable {
    private static let maxBodyBytes = 16_384
    private static let example = #"{"decision":"blur","reason":"…"}"#

    let moderation: PostModeration

    package init(moderation: PostModeration) {
        self.moderation = moderation
    }

    private static let body = Schema.object(
        [
            "decision": .one(of: ModerationDecision.self), "reason": .any(.text, .null),
            "photos": .any(.map(of: .one(of: ModerationDecision.self)), .null),
        ], required: ["decision"]
    ).named("ModerationRequest")

    package func add(to routes: inout RouteTable) {
        let decide = Endpoint(
            "moderatePost", in: .moderation, "Show a post unchanged or blurred, or delete it", details: "For admins.",
            [.path("id", .postID)],
            body: ["application/json": Self.body], answers: [.json(ModerationDocument.self)],
            errors: [.adminOnly, .notFound, .unsupportedType, .tooLarge], run: decide)
        routes.add("/v1/posts/{id}/moderation", [.put: decide])
    }

    @Sendable private func decide(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "moderation")
        guard let id = PostID(context.parameters.get("id") ?? "") else {
            throw Failure(.notFound, "there is no such post", hint: "List the newest with GET /v1/posts.")
        }
        let members = try await context.jsonMembers(
            ["decision", "reason", "photos"], of: request, upTo: Self.maxBodyBytes, example: Self.example)
        guard let verdict = try? ModerationVerdict(json: Data(JSONValue.object(members).json())) else {
            throw Failure(
                .badRequest, "the body is not a decision: pass, blur or refuse", hint: "Write it as \(Self.example).")
        }
        return .json(try await moderation.moderate(id, verdict))
    }
}
