import API
package import CoreMetrics
import Metering

/// The metrics of uploads until they are posts, and of deleted garbage.
package struct UploadMetrics: Sendable {
    /// The steps of an upload.
    enum Step: String, Sendable {
        /// The reservation of the id of the future post.
        case reserve
        /// The ingest of one photo; for a photo that arrives in one request, including the wait for its bytes.
        case ingest
        /// The rendering of an acknowledged upload, including the wait for its turn.
        case render
        /// The publication of a rendered upload.
        case commit
    }

    /// The ways in which a step ends.
    private enum Outcome: String {
        case done
        /// The upload can never pass the step.
        case refused
        /// The step will be tried again, or the sender has disconnected.
        case interrupted
    }

    private struct Labels: MetricLabels {
        let step: Step
        let outcome: Outcome

        var pairs: [(String, String)] { [("step", step.rawValue), ("outcome", outcome.rawValue)] }
    }

    private let steps: MetricFamily<Labels, Timer>
    private let bytes: Counter
    private let queueWait: Timer
    private let garbage: Counter

    package init(_ factory: any MetricsFactory) {
        steps = factory.timers(
            "tintype_upload_step_seconds", "Time that a step of an upload took, by its outcome.", by: Labels.self)
        bytes = factory.counter("tintype_upload_ingested_bytes_total", "Bytes of photos that became durable.")
        queueWait = factory.timer(
            "tintype_upload_queue_wait_seconds", "Time that an acknowledged upload waited for a worker.")
        garbage = factory.counter(
            "tintype_garbage_removed_files_total", "Deleted files that nothing referred to any longer.")
    }

    /// Runs a step, and records its duration.
    ///
    /// - Throws: The errors of the body.
    func take<Value>(_ step: Step, _ body: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        var outcome = Outcome.done
        defer { steps[Labels(step: step, outcome: outcome)].record(since: start) }
        do {
            return try await body()
        } catch {
            outcome = error is CancellationError || Failure(error).isTransient ? .interrupted : .refused
            throw error
        }
    }

    func countIngested(_ byteCount: Int) { bytes.increment(by: byteCount) }

    /// Counts a file that is deleted because nothing refers to it.
    func countGarbage() { garbage.increment() }

    /// Records the time that an upload has waited for a worker.
    func endWait(since start: ContinuousClock.Instant) { queueWait.record(since: start) }
}
