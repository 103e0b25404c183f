public import Imaging
import Synchronization

/// Renders photos in processes that can harm nobody: what a photo does to its decoder costs that photo its verdict, and
/// nothing else.
///
/// Workers are kept and used again, one photo at a time each; there are as many as photos were rendered at a time. Calls
/// block, and come from any threads. The workers end with this value, or with the process.
public final class IsolatedRenderer: Sendable {
    private let program: WorkerProgram
    private let limits: WorkerLimits
    private let idle: Mutex<[Worker]>
    private let requestCount = Atomic(0)

    /// So many have room in a message.
    private static let maxRecipes = 500

    /// How often a photo has to end a worker that has seen nothing else: a worker's end may have been the doing of a photo
    /// before it.
    private static let failuresForRejection = 2
    /// How often a photo is tried at once whose workers somebody else ends.
    private static let maxKills = 2

    /// Starts a first worker, so that a system on which photos cannot be isolated is told at once.
    ///
    /// - Throws: `IsolationError`: `isolation_unavailable` with what is missing, or `worker_unavailable`.
    public init(_ program: WorkerProgram, limits: WorkerLimits = WorkerLimits()) throws(IsolationError) {
        self.program = program
        self.limits = limits
        try SharedMemory.checkSystem()
        idle = Mutex([try Worker(program, limits: limits, capacity: RenderRequest.capacity(for: Recipe.defaults))])
    }

    /// Renders a photo as `Renderer` does, by a descriptor that is open for reading; nothing but it is handed over.
    ///
    /// The verdict on a photo rests on what it did to two workers that had seen nothing else before. What a worker used by
    /// others dies of, or is killed by, is no photo's fault.
    ///
    /// - Parameters:
    ///   - photo: The descriptor of a file of at least `byteCount` bytes.
    ///   - byteCount: How many bytes the photo has.
    /// - Throws: `ImageError`, the renderer's verdict, which is never transient; `IsolationError`, which is transient when
    ///   workers were killed from outside: try again after a while.
    public func render(
        _ photo: Int32, byteCount: Int, recipes: [Recipe], limits imageLimits: ImageLimits = ImageLimits()
    ) throws -> RenderedImage {
        guard recipes.count <= Self.maxRecipes else {
            throw ImageError(
                .badRecipe, "\(recipes.count) recipes are too many; the limit is \(Self.maxRecipes)",
                hint: "Render the photo twice.")
        }
        let number = requestCount.add(1, ordering: .relaxed).newValue
        let request = RenderRequest(number: number, byteCount: byteCount, recipes: recipes, limits: imageLimits)
        var (failures, kills) = (0, 0)
        var worker = try take(for: request)
        while true {
            let isFresh = worker.isFresh
            switch try render(photo, request, by: worker) {
            case .success(let image): return image
            case .failure(let failure):
                if failure.isFromOutside { kills += 1 } else if isFresh { failures += 1 }
                guard failures < Self.failuresForRejection, kills < Self.maxKills else { throw failure.error(limits) }
            }
            worker = try start(for: request)
        }
    }

    private func render(
        _ photo: Int32, _ request: RenderRequest, by worker: Worker
    ) throws -> Result<RenderedImage, WorkerFailure> {
        switch try worker.render(photo, request) {
        case .failed(let failure): return .failure(failure)
        // Memory is bounded, and the photo is the same tomorrow.
        case .refused(let error) where error.code == .outOfMemory: return .failure(.outOfMemory)
        case .refused(let error):
            giveBack(worker)
            throw error
        case .unreadable(let code):
            giveBack(worker)
            throw IsolationError.unreadable(errno: code)
        case .rendered(let image):
            giveBack(worker)
            return .success(image)
        }
    }

    private func take(for request: RenderRequest) throws(IsolationError) -> Worker {
        while let worker = idle.withLock({ $0.popLast() }) {
            if worker.isWaiting, worker.hasRoom(for: request) { return worker }
        }
        return try start(for: request)
    }

    private func start(for request: RenderRequest) throws(IsolationError) -> Worker {
        try Worker(program, limits: limits, capacity: request.capacity)
    }

    private func giveBack(_ worker: Worker) {
        guard !worker.needsReplacement else { return }
        idle.withLock { $0.append(worker) }
    }
}
