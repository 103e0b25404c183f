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
    /// Makes the renderer for the chosen mode.
    ///
    /// - Parameter metrics: Makes the metrics of the processes.
    /// - Throws: `Failure` when photos cannot be isolated on this machine, with the reason and the way around it.
    func photoRenderer(
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws -> any PhotoRenderer {
        guard try value(\.renderMode) == .isolated else { return InProcessRenderer() }
        let program = WorkerProgram.this(arguments: [RenderMode.workerCommand])
        do {
            return try IsolatedRenderer(
                program, limits: Self.workerLimits(try imageLimits()), metrics: metrics)
        } catch let error as IsolationError {
            throw Failure(
                ErrorCode(named: error.code.rawValue), error.message,
                hint: "allow it, or decode photos in the service itself, where a hole in a decoder is a hole in the "
                    + "service: --render in-process, or \"render\": \"in-process\" in the configuration")
        }
    }

    /// Limits with room for the largest photo that is accepted and for its renditions.
    private static func workerLimits(_ limits: ImageLimits) -> WorkerLimits {
        // An operator may choose limits that are larger than any memory.
        let limited = [limits.maxInputBytes, limits.maxWorkingBytes].map { min($0, 1 << 40) }
        return WorkerLimits(memoryBytes: limited.reduce(320 * 1_048_576, +))
    }
}
