import API

/// Shows a job until it ends: a bar or a line of JSON for each step, and the result.
struct PostRunFollower {
    let jobs: PostRunsClient
    let isJSON: Bool
    /// The kind of the job, whose name is the command's.
    var kind = PostRunKind.rethumb

    /// Follows a job. Ctrl-C pauses it.
    ///
    /// - Throws: `ExitStatus`: `tryAgain` when it was paused, `partial` when some posts failed, `failed` when the job did.
    func follow(_ id: String) async throws {
        var progress = ProgressBar("posts")
        var last: PostRunDocument?
        let jobs = jobs
        do {
            for try await step in Interruptible.stream({ report in try await jobs.follow(id, report) }) {
                guard step != last else { continue }
                let wasWaiting = last?.waiting != nil
                last = step
                if isJSON {
                    Terminal.outputJSON(step)
                } else if let waiting = step.waiting {
                    if !wasWaiting { Terminal.note("the run \(waiting)") }
                } else {
                    progress.update(step.done, of: step.total, note: Self.note(step))
                }
            }
        } catch is CancellationError {
            progress.finish()
            let job = try await pause(id)
            Terminal.error(
                "paused after \(job.done) of \(job.total) posts: run it again or \"tintype \(kind.rawValue) resume\" to continue"
            )
            throw ExitStatus.tryAgain
        }
        progress.finish()
        if let last { try end(last) }
    }

    /// Pauses a job. It may have ended by itself meanwhile.
    private func pause(_ id: String) async throws -> PostRunDocument {
        do {
            return try await jobs.do(.pause, to: id)
        } catch let error as Failure where error.code == .wrongState {
            return try await jobs.job(id)
        }
    }

    private static func note(_ job: PostRunDocument) -> String {
        let verb = job.phase == .render && job.switches == .last ? "rendered" : job.verb
        return "\(job.switched) \(verb)" + (job.failed > 0 ? ", \(job.failed) failed" : "")
    }

    private func end(_ job: PostRunDocument) throws {
        if let failure = job.lastFailure { Terminal.error(failure) }
        if let fault = job.fault { Terminal.error(fault) }
        if !isJSON {
            let verb = job.state == .prepared ? "rendered" : job.state == .rolledBack ? "switched back" : job.verb
            Terminal.output("\(job.switched) of \(job.total) posts \(verb), \(job.failed) failed")
            if job.state == .prepared { Terminal.note("\"tintype rethumb switch\" shows them") }
        }
        if job.state == .failed { throw ExitStatus.failed }
        if job.state == .paused { throw ExitStatus.tryAgain }
        if job.failed > 0 { throw ExitStatus.partial }
    }
}
