import API
import CoreMetrics
import Imaging
import Isolation
import Uploads

/// The processes in which photos are decoded.
enum RenderMode: String, Sendable {
    /// Processes that can only compute.
    case isolated
    /// The service itself.
    case inProcess = "in-process"

    /// The name of the command that such a process runs.
    static let workerCommand = "render-worker"
}

extension Configuration {
    /// Creates the renderer for the chosen mode.
    ///
    /// - Parameter metrics: The factory of the processes' metrics.
    /// - Throws: `Failure` when photos cannot be isolated on this machine, with the reason and a workaround.
    func photoRenderer(
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws -> any PhotoRenderer {
        guard try value(\.renderMode) == .isolated else { return InProcessRenderer() }
        let program = WorkerProgram.this(arguments: [RenderMode.workerCommand])
        do {
            return try IsolatedRenderer(
                program, limits: WorkerLimits(admitting: try imageLimits()), metrics: metrics)
        } catch let error as IsolationError {
            throw Failure(
                ErrorCode(named: error.code.rawValue), error.message,
                hint: "Allow it, or decode photos in the service itself, where a flaw in a decoder endangers the "
                    + "service: use --render in-process, or \"render\": \"in-process\" in the configuration.")
        }
    }
}
