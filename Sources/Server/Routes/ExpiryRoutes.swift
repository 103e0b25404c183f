import API
import Hummingbird
package import Keeping
package import Requests
import Transport

/// `/v1/expire`: deletes posts by their age, or counts them, in batches.
package struct ExpiryRoutes: Sendable {
    let expiry: PostExpiry

    package init(expiry: PostExpiry) {
        self.expiry = expiry
    }

    package func add(to routes: inout RouteTable) {
        let expire = Endpoint.admin(
            for: "deleting posts by their age",
            "expirePosts", in: .operations, "Delete posts that are older than this, in batches",
            [
                Parameter.query("older_than", .integer(60...8_640_000_000), "the age in seconds").required,
                .query("dry_run", .flag, "whether only to count"),
                .query("after", .text, "the `next` of the answer before"),
            ], answers: [.json(ExpiryDocument.self)], run: expire)
        routes.add("/v1/expire", [.post: expire])
    }

    @Sendable private func expire(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let query = context.query
        guard let seconds = query["older_than"].flatMap({ Int($0) }), (60...8_640_000_000).contains(seconds) else {
            throw Failure(
                .badRequest, "older_than is not an age of at least 60 seconds",
                hint: "Write it in seconds, such as older_than=2592000.")
        }
        let position = try query["after"].map { text in
            guard let position = PostExpiry.Position(cursor: text) else {
                throw Failure(.badRequest, "after is not a cursor", hint: "Use \"next\" of the answer before.")
            }
            return position
        }
        let isDryRun = try query.flag("dry_run")
        let page = try await expiry.page(olderThan: .seconds(seconds), after: position, isDryRun: isDryRun)
        return .json(
            ExpiryDocument(
                posts: page.posts, bytes: page.bytes, deleted: !isDryRun, next: page.next?.description))
    }
}
