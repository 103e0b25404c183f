package import API
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import Pipeline
import Posts
import ServiceLifecycle
import Tree

/// `/v1/rethumb` gives posts the renditions of the current recipes, and `/v1/scrub` takes the place out of their originals;
/// both tell how far they are, a JSON object a line.
///
/// One job at a time. It stops when its client goes away: what was switched stays, and the next job goes on from there.
struct JobRoutes: Sendable {
    private static let reportInterval = Duration.milliseconds(250)
    private static let patience = Duration.seconds(3)

    private let service: UploadService

    init(_ service: UploadService) {
        self.service = service
    }

    func add(to routes: inout RouteTable) {
        let rethumb = Operation(
            "Renders posts again by the current recipes; through the Unix socket.",
            [
                .query("user", .userID, "only this person's posts"),
                .query("since", .moment, "only posts since this day, time or number of milliseconds"),
                .query("only_missing", .flag, "only posts that lack a rendition"),
                .query("dry_run", .flag, "whether only to count"),
            ],
            answers: [Self.lines], errors: [.badUser, .badTime, .adminOnly, .jobRunning], run: rethumb)
        routes.add("/v1/rethumb", [.post: rethumb])
        let scrub = Operation(
            "Takes the place where they were taken out of stored originals, for good; for admins.",
            [
                .query("user", .userID, "only this person's posts"),
                .query("check", .flag, "whether only to count the posts that have something to remove"),
            ], answers: [Self.lines], errors: [.badUser, .adminOnly, .jobRunning], run: scrub)
        routes.add("/v1/scrub", [.post: scrub])
    }

    private static let lines = Answer.lines(.any(.document(JobDocument.self), .document(JobFailureDocument.self)))

    @Sendable private func rethumb(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "re-thumbnailing")
        let query = context.query
        let selection = try Rethumb.Selection(
            user: query["user"], since: query["since"], onlyMissing: try query.flag("only_missing"))
        return try await run(
            Rethumb(service, selection: selection, isDryRun: try query.flag("dry_run")), for: request)
    }

    @Sendable private func scrub(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "taking the place out of everybody's photos")
        let selection = try Rethumb.Selection(user: context.query["user"], since: nil, onlyMissing: false)
        return try await run(
            OriginalScrub(service, user: selection.user, isCheck: try context.query.flag("check")), for: request)
    }

    private func run(_ job: some PostJob, for request: Request) async throws -> Response {
        let ticket = try await takeSlot()
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(ticket) {} }
                // Noticed at once when the client goes away: the next job need not wait for a write that fails.
                let body = request.body
                try await body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.run(job, reportingTo: &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// A job whose client has just gone away ends with the post that it is at: that is waited for.
    private func takeSlot() async throws -> JobSlot.Ticket {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            if let ticket = service.jobSlot.take() { return ticket }
            guard ContinuousClock.now < deadline else {
                throw Failure(.jobRunning, "a job is running", hint: "wait for its end, or stop it")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Runs the job and writes how far it is a few times a second. A client that went away is noticed by the writing.
    @concurrent private static func run(
        _ job: some PostJob, reportingTo writer: inout any ResponseBodyWriter
    ) async throws {
        let (steps, continuation) = AsyncStream.makeStream(
            of: PostJobProgress.self, bufferingPolicy: .bufferingNewest(1))
        let last = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            defer { group.cancelAll() }
            group.addTask(name: "job") {
                defer { continuation.finish() }
                return await lastLine(of: job) { continuation.yield($0) }
            }
            try await withGracefulShutdownHandler {
                for await progress in steps {
                    try await writer.write(progress.line(isFinished: false))
                    try await Task.sleep(for: reportInterval)
                }
            } onGracefulShutdown: {
                continuation.finish()
            }
            if Task.isShuttingDownGracefully { group.cancelAll() }
            return try await group.next()
        }
        if let last { try await writer.write(last) }
    }

    private static func lastLine(
        of job: some PostJob, reporting report: (PostJobProgress) -> Void
    ) async -> ByteBuffer {
        do {
            return try await job.run { report($0) }.line(isFinished: true)
        } catch is CancellationError {
            return Problem(
                Failure(.shuttingDown, "the service is stopping", hint: "run it again: it goes on from there")
            ).line
        } catch {
            return Problem(error).line
        }
    }
}

extension PostJobProgress {
    fileprivate func line(isFinished: Bool) -> ByteBuffer {
        var document = JobDocument(self)
        document.finished = isFinished
        return ByteBuffer(bytes: document.json() + "\n".utf8)
    }
}

extension JobDocument {
    /// How far a job is that has not finished.
    package init(_ progress: PostJobProgress) {
        self.init()
        (total, done) = (progress.total, progress.done)
        (switched, failed, lastFailure) = (progress.switched, progress.failed, progress.lastFailure)
    }
}

extension Problem {
    fileprivate var line: ByteBuffer { ByteBuffer(bytes: JobFailureDocument(failure).json() + "\n".utf8) }
}
