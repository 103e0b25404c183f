import API
package import CoreMetrics
import Metering

/// The metrics of uploads on their way to a post, and of what they leave.
package struct UploadMetrics: Sendable {
    /// The steps of an upload.
    enum Step: String, Sendable {
        /// Taking the id of the post to be.
        case reserve
        /// Bringing one photo to the blob store; for a photo that comes in one request, with the wait for its bytes.
        case ingest
        /// Making the renditions of an acknowledged upload, with the wait for its turn.
        case render
        /// Publishing a rendered upload.
        case commit
    }

    /// The ways in which a step ends.
    private enum Outcome: String {
        case done
        /// The upload can never pass the step.
        case refused
        /// The step is tried again, or its sender has gone.
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
            "tintype_garbage_removed_files_total", "Files that nothing referred to any more and that were deleted.")
    }

    /// Takes a step, and records how long it took.
    ///
    /// - Throws: What the body throws.
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

    /// Records that an upload that has waited since an instant has a worker.
    func endWait(since start: ContinuousClock.Instant) { queueWait.record(since: start) }
}
