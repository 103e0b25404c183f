import API
import Access
import HTTPTypes
import Keeping
import Model
import Server
import Service
import TreeModel
import Uploads

/// The removal of the place from stored originals, by the service or, when none runs, by this process.
struct StoredScrub: Sendable {
    let storage: StorageOptions
    let isCheck: Bool
    let isJSON: Bool

    // MARK: Some posts

    /// Scrubs some posts, and prints the result of each photo.
    ///
    /// - Throws: `ExitStatus`, when a post was rejected, or a check finds something to remove.
    func scrub(_ ids: [PostID]) async throws {
        var failures = 0
        var hasPlace = false
        func report(_ id: PostID, _ scrub: () async throws -> [ScrubDocument]) async throws {
            do {
                for photo in try await scrub() {
                    hasPlace = hasPlace || !photo.removed.isEmpty
                    if isJSON { Terminal.outputJSON(photo) } else { Terminal.output(photo.line(isCheck: isCheck)) }
                }
            } catch let error as Failure where error.code != .noService {
                failures += 1
                Terminal.error("\(id): \(error)".printable)
                if isJSON { Terminal.outputJSON(OutcomeDocument(.refused, postID: id.description, failure: error)) }
            }
        }
        try await storage.perform { service in
            for id in ids {
                try await report(id) {
                    try await service.read(
                        .post, "/v1/posts/\(id)/scrub", query: ["check": isCheck ? "true" : nil],
                        as: ScrubbedPostDocument.self
                    ).photos
                }
            }
        } locally: { pipeline in
            let job = OriginalScrub(pipeline.tools, isCheck: isCheck)
            for id in ids { try await report(id) { try await job.scrub(id, by: .admin) } }
        }
        if failures > 0 { throw ExitStatus.partial }
        if isCheck, hasPlace { throw ExitStatus.failed }
    }

    // MARK: All posts

    /// Scrubs all posts, or those of one user, and prints the progress.
    ///
    /// - Throws: `ExitStatus`, as `scrub(_:)` does; also when it was interrupted by Ctrl-C.
    func scrub(postsOf user: String?) async throws {
        let last = try await JobSteps.show(isJSON: isJSON, note: note) { try await steps(of: user, $0) }
        if !isJSON {
            let what = isCheck ? "have something to remove" : "scrubbed"
            Terminal.output("\(last.switched) of \(last.total) posts \(what), \(last.failed) failed")
        }
        if last.failed > 0 { throw ExitStatus.partial }
        if isCheck, last.switched > 0 { throw ExitStatus.failed }
    }

    private func note(_ step: JobDocument) -> String {
        "\(step.switched) \(isCheck ? "to scrub" : "scrubbed")" + (step.failed > 0 ? ", \(step.failed) failed" : "")
    }

    private func steps(of user: String?, _ report: (JobDocument) -> Void) async throws {
        try await storage.perform { service in
            let query = ["user": user, "check": isCheck ? "true" : nil]
            try await JobSteps.inService(service, "/v1/scrub", query: query, report)
        } locally: { pipeline in
            let selection = try PostSelection(user: user, since: nil, onlyMissing: false)
            let job = OriginalScrub(pipeline.tools, user: selection.user, isCheck: isCheck)
            var last = JobDocument(try await job.run { report(JobDocument($0)) })
            last.finished = true
            report(last)
            if !isCheck { try await pipeline.janitor.sweep() }
        }
    }
}
