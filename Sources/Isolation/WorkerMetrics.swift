internal import CoreMetrics
internal import Metering

/// The metrics of render workers.
struct WorkerMetrics: Sendable {
    private let starts: Counter
    private let failures: MetricFamily<WorkerFailure.Cause, Counter>

    init(_ factory: any MetricsFactory) {
        starts = factory.counter("tintype_render_workers_started_total", "Render worker processes that were started.")
        failures = factory.counters(
            "tintype_render_worker_failures_total", "Render workers that ended without an answer.",
            by: WorkerFailure.Cause.self)
    }

    func countStart() { starts.increment() }

    func count(_ failure: WorkerFailure) { failures[failure.cause].increment() }
}

extension WorkerFailure {
    /// A failure without its details, for a metric's label.
    fileprivate enum Cause: String, MetricLabels {
        case signal, exit, timeout, memory, message, socket, threads, killed, stalled
        case cpuTime = "cpu_time"

        var pairs: [(String, String)] { [("cause", rawValue)] }
    }

    fileprivate var cause: Cause {
        switch self {
        case .signal: .signal
        case .exit: .exit
        case .cpuTimeExceeded: .cpuTime
        case .timedOut: .timeout
        case .outOfMemory: .memory
        case .malformedMessage: .message
        case .closedSocket: .socket
        case .tooManyThreads: .threads
        case .killed: .killed
        case .stalled: .stalled
        }
    }
}
