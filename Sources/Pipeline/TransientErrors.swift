import Blobs
import Logging
import Posts
import ServiceLifecycle
import Tree

/// What is done about faults that pass: those of the whole disk pause everything, those of one upload delay that one.
extension UploadPipeline {
    /// Whether new uploads are taken, and why not.
    package var intake: IntakeGate { watch.gate }

    /// Has a fault looked into that something has met; verdicts and refusals are none.
    ///
    /// - Returns: Whether the intake is paused: then the fault was no failed attempt of anybody.
    @discardableResult
    package func isPaused(by error: any Error) async -> Bool {
        guard error is IntakePause || PipelineError(error).isTransient, !(error is CancellationError) else {
            return false
        }
        return await watch.report()
    }

    /// Has a fault looked into by and by.
    package func notice(_ error: any Error) {
        if PipelineError(error).isTransient { watch.suspect() }
    }

    /// Waits until it makes sense to try an upload again.
    func waitForRetry(_ id: PostID, after fault: PipelineError) async {
        // While the disk is broken, nothing that is tried counts.
        if await isPaused(by: fault) { return await intake.waitUntilOpen() }
        let attempt = queue.countAttempt(id)
        // Each try may keep a worker busy for as long as a photo may take at all.
        let delay = Backoff.delay(afterAttempt: attempt, atMost: fault.code == .workerKilled ? 3600 : 60)
        logger.warning(
            "a passing fault; trying again",
            metadata: ["upload": "\(id)", "fault": "\(fault.description.printable)", "in": "\(delay)"])
        try? await note(fault, attempt: attempt, of: id)
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
    }

    /// Recovers, however long a fault is in the way of reading what there is to do.
    func recoverAtLast() async {
        while !Task.isEnding {
            do {
                return try await recover()
            } catch {
                logger.warning("cannot recover yet", metadata: ["fault": "\(error)"])
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    /// Shows whoever asks for the upload why it takes so long; where even that cannot be written, the log has it.
    private func note(_ fault: PipelineError, attempt: Int, of id: PostID) async throws {
        guard var record = try await record(of: id), record.state == .ingested else { return }
        record.attempts = attempt
        record.error = fault
        var update = MultiPathUpdate(preconditions: [
            .equals(Paths.upload(id) / "state", .string(record.state.rawValue))
        ])
        update[Paths.upload(id)] = try record.value()
        _ = try await apply(update)
    }
}
