import Imaging
import Isolation
import Pipeline

/// Where photos are decoded.
enum RenderPlace: String, Sendable {
    /// In processes that can harm nobody.
    case isolated
    /// In the service itself.
    case inProcess = "in-process"
}

extension Configuration {
    /// What renders photos, ready to do so.
    ///
    /// - Throws: `PipelineError` when photos cannot be isolated here: with what is missing, and how to go on without.
    func photoRenderer() throws -> any PhotoRenderer {
        guard try value(Settings.render) == .isolated else { return InProcessRenderer() }
        let program = WorkerProgram.this(arguments: [RenderWorkerCommand.name])
        do {
            return try IsolatedRenderer(program, limits: Self.workerLimits(try imageLimits()))
        } catch let error as IsolationError {
            throw PipelineError(
                .init(rawValue: error.code.rawValue), error.message,
                hint: "allow it, or decode photos in the service itself, where a hole in a decoder is a hole in the "
                    + "service: --render in-process, or \"render\": \"in-process\" in the configuration")
        }
    }

    /// Room for what the limits on a photo admit, and for the renditions.
    private static func workerLimits(_ limits: ImageLimits) -> WorkerLimits {
        // An operator's limit may be no limit at all.
        let limited = [limits.maxInputBytes, limits.maxWorkingBytes].map { min($0, 1 << 40) }
        return WorkerLimits(memoryBytes: limited.reduce(320 * 1_048_576, +))
    }
}
