import API
import Client
import Foundation
import HTTPTypes
import NIOCore

/// The steps of a job over many posts, done by the service or by this process.
enum JobSteps {
    /// Shows the steps of a job, as a bar or as JSON lines, and at its end the last failure of a post.
    ///
    /// - Parameters:
    ///   - note: Returns a text that the bar shows after the progress.
    ///   - job: Does the job, and reports each step.
    /// - Returns: The last step.
    /// - Throws: `ExitStatus.tryAgain` when the job was interrupted by Ctrl-C, and the errors of the job.
    static func show(
        isJSON: Bool, note: (JobDocument) -> String,
        _ job: @escaping @Sendable (_ report: @escaping @Sendable (JobDocument) -> Void) async throws -> Void
    ) async throws -> JobDocument {
        var progress = ProgressBar("posts")
        var last = JobDocument()
        do {
            for try await step in Interruptible.stream(job) {
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

    /// Starts a job in the service, and reports its steps.
    ///
    /// - Throws: `Failure`, also when the service ends before the job does.
    static func inService(
        _ service: APIClient, _ path: String, query: [String: String?], _ report: (JobDocument) -> Void
    ) async throws {
        try await service.follow(path, query: query) { line in
            let step = try JobDocument(json: line)
            report(step)
            return step.finished
        }
    }
}

extension APIClient {
    /// Starts a job in the service, and reads the steps that it reports, one on each line.
    ///
    /// - Parameter take: Handles a line, and returns whether it was the job's last.
    /// - Throws: `Failure`, also when the service ends before the job does.
    func follow(_ path: String, query: [String: String?], _ take: (Data) throws -> Bool) async throws {
        try await open(.post, path, query: query) { _, body in
            var rest = ByteBuffer()
            var isFinished = false
            for try await var chunk in body {
                rest.writeBuffer(&chunk)
                while let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
                    let line = rest.readBytes(length: end - rest.readerIndex + 1)
                {
                    if let failure = try? JobFailureDocument(json: Data(line)) {
                        let error = failure.error
                        throw Failure(error.code, error.message, hint: error.hint, isTransient: failure.transient)
                    }
                    isFinished = try take(Data(line))
                }
            }
            guard isFinished else {
                throw Failure(
                    .connectionLost, "the service ended before the job did",
                    hint: "Run it again: it continues from there.", isTransient: true)
            }
        }
    }
}

extension JobDocument {
    /// The progress without the texts for people.
    fileprivate var counts: JobDocument {
        var counts = self
        counts.lastFailure = nil
        return counts
    }
}
