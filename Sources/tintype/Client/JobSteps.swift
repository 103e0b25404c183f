import API
import Client
import Foundation
import HTTPTypes
import NIOCore
import UnixSignals

/// The steps of a job that goes through posts, done by the service or by this process.
enum JobSteps {
    /// Shows the steps of a job, a bar or a line of JSON each, and at its end why posts have failed.
    ///
    /// - Parameters:
    ///   - note: What the bar says beside how far the job is.
    ///   - job: Does the job, telling each step.
    /// - Returns: The last step.
    /// - Throws: `ExitStatus.tryAgain` when somebody pressed Ctrl-C, and what the job throws.
    static func show(
        isJSON: Bool, note: (JobDocument) -> String,
        _ job: @escaping @Sendable (_ report: (JobDocument) -> Void) async throws -> Void
    ) async throws -> JobDocument {
        var progress = ProgressBar("posts")
        var last = JobDocument()
        do {
            for try await step in interruptible(job) {
                last = step
                if isJSON {
                    Terminal.outputJSON(step.counts)
                } else {
                    progress.update(step.done, of: step.total, note: note(step))
                }
            }
        } catch is CancellationError {
            progress.finish()
            Terminal.error("stopped after \(last.done) of \(last.total) posts; run it again to continue")
            throw ExitStatus.tryAgain
        }
        progress.finish()
        if let failure = last.lastFailure { Terminal.error(failure) }
        return last
    }

    /// The steps of a job that Ctrl-C ends. The stream throws `CancellationError` then.
    ///
    /// - Parameter job: Does the job, telling each step.
    private static func interruptible(
        _ job: @escaping @Sendable (_ report: (JobDocument) -> Void) async throws -> Void
    ) -> AsyncThrowingStream<JobDocument, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await job { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            let interruption = Task {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { task.cancel() }
            }
            continuation.onTermination = { _ in
                task.cancel()
                interruption.cancel()
            }
        }
    }

    /// Has the service do a job.
    ///
    /// - Throws: `Failure`, also when the service ends before the job does.
    static func inService(
        _ service: APIClient, _ path: String, query: [String: String?], _ report: (JobDocument) -> Void
    ) async throws {
        try await service.open(.post, path, query: query) { _, body in
            var rest = ByteBuffer()
            var isFinished = false
            for try await var chunk in body {
                rest.writeBuffer(&chunk)
                while let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
                    let line = rest.readBytes(length: end - rest.readerIndex + 1)
                {
                    if let error = try? JobFailureDocument(json: Data(line)).error {
                        throw Failure(error.code, error.message, hint: error.hint, isTransient: true)
                    }
                    let step = try JobDocument(json: Data(line))
                    isFinished = step.finished
                    report(step)
                }
            }
            guard isFinished else {
                throw Failure(
                    .connectionLost, "the service ended before the job did",
                    hint: "run it again: it continues from there", isTransient: true)
            }
        }
    }
}

extension JobDocument {
    /// The progress without the words for people.
    fileprivate var counts: JobDocument {
        var counts = self
        counts.lastFailure = nil
        return counts
    }
}
