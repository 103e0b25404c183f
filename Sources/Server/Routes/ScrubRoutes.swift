package import API
import Hummingbird
package import Keeping
import Model
package import Requests

/// `/v1/scrub` takes the place out of the originals of posts, and tells how far it is, a JSON object a line.
///
/// One job at a time. It stops when its client goes away: what was done stays, and the next job goes on from there.
package struct ScrubRoutes: Sendable {
    let tools: PostTools
    /// Room for one job at a time.
    let slot: PostRunSlot

    package init(tools: PostTools, slot: PostRunSlot) {
        self.tools = tools
        self.slot = slot
    }

    package func add(to routes: inout RouteTable) {
        let scrub = Endpoint.admin(
            for: "taking the place out of everybody's photos",
            "Takes the place where they were taken out of stored originals, for good.",
            [
                .query("user", .userID, "only this person's posts"),
                .query("check", .flag, "whether only to count the posts that have something to remove"),
            ], answers: [Self.lines], errors: [.badUser, .jobRunning], run: scrub)
        routes.add("/v1/scrub", [.post: scrub])
    }

    private static let lines = AnswerDescription.lines(
        .any(.document(JobDocument.self), .document(JobFailureDocument.self)))

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
    /// How far a job is that has not finished.
    package init(_ progress: PostRunProgress) {
        self.init()
        (total, done) = (progress.total, progress.done)
        (switched, failed, lastFailure) = (progress.switched, progress.failed, progress.lastFailure)
    }
}
