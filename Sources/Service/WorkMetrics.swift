import CoreMetrics
import Metering
import Social

/// The metrics of the work that runs behind requests: failed steps of follow-up tasks, and deliveries. All series exist
/// from the start, so that a rate sees the first failure.
struct WorkMetrics: Sendable {
    private struct Task: MetricLabels {
        let kind: FollowUpTaskKind

        var pairs: [(String, String)] { [("job", kind.rawValue)] }
    }

    private struct Attempt: MetricLabels {
        let outcome: OutboxWorker.Outcome

        var pairs: [(String, String)] { [("outcome", outcome.rawValue)] }
    }

    private let failures: MetricFamily<Task, Counter>
    private let attempts: MetricFamily<Attempt, Counter>

    init(_ factory: any MetricsFactory) {
        failures = factory.counters(
            "tintype_job_failures_total", "Steps of follow-up tasks that failed, and are tried again.", by: Task.self)
        attempts = factory.counters(
            "tintype_outbox_attempts_total", "Attempts to deliver a notification, by their outcome.", by: Attempt.self)
        for kind in FollowUpTaskKind.allCases { _ = failures[Task(kind: kind)] }
        for outcome in OutboxWorker.Outcome.allCases { _ = attempts[Attempt(outcome: outcome)] }
    }

    func countFailure(of kind: FollowUpTaskKind) { failures[Task(kind: kind)].increment() }

    func count(_ outcome: OutboxWorker.Outcome) { attempts[Attempt(outcome: outcome)].increment() }
}
