package import API
import Hummingbird
package import Keeping
import Model
package import Requests

/// `/v1/scrub` removes the location from the originals of posts, and reports its progress, a JSON object a line.
///
/// Only one job runs at a time. It stops when its client disconnects: its work so far stays, and the next job continues
/// there.
package struct ScrubRoutes: Sendable {
    let tools: PostTools
    /// The slot that limits jobs to one at a time.
    let slot: PostRunSlot

    package init(tools: PostTools, slot: PostRunSlot) {
        self.tools = tools
        self.slot = slot
    }

    package func add(to routes: inout RouteTable) {
        let scrub = Endpoint.admin(
            for: "removing the location from the photos of all users",
            "scrubOriginals", in: .operations, "Remove the location from stored originals, for good",
            [
                .query("user", .userID, "only this user's posts"),
                .query("check", .flag, "whether only to count the posts that have a location to remove"),
            ], answers: [Self.lines], errors: [.badUser, .jobRunning], run: scrub)
        routes.add("/v1/scrub", [.post: scrub])
    }

    private static let lines = AnswerDescription.lines(
        .any(.document(JobDocument.self), .document(JobFailureDocument.self)).named("ScrubEvent"))

    @Sendable private func scrub(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let selection = try PostSelection(user: context.query["user"], since: nil, onlyMissing: false)
        let job = OriginalScrub(tools, user: selection.user, isCheck: try context.query.flag("check"))
        return try await JobAnswer.response(to: request, isTrusted: context.isTrusted, in: slot) { answer in
            var last = JobDocument(try await job.run { step in answer.tell(step: JobDocument(step)) })
            last.finished = true
            return last
        }
    }
}

extension JobDocument {
    /// Creates the report of an unfinished job.
    package init(_ progress: PostRunProgress) {
        self.init()
        (total, done) = (progress.total, progress.done)
        (switched, failed, lastFailure) = (progress.switched, progress.failed, progress.lastFailure)
    }
}
