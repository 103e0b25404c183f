public import CoreMetrics
public import Imaging
import Synchronization

/// Renders images in processes that can harm nobody: an image that breaks its decoder is rejected for good, and nothing
/// else happens.
///
/// Workers are kept and used again, one image at a time each; there are as many as images were rendered at a time.
/// Calls block, and come from any threads. The workers end with this value, or with the process.
public final class IsolatedRenderer: Sendable {
    private let program: WorkerProgram
    private let limits: WorkerLimits
    private let metrics: WorkerMetrics
    private let idle: Mutex<[Worker]>
    private let requestCount = Atomic(0)

    /// The most recipes for which a message has room.
    private static let maxRecipes = 500

    /// The number of fresh workers that an image has to end to be rejected: a used worker's end may have been the doing
    /// of an image before it.
    private static let failuresForRejection = 2
    /// The number of attempts at an image whose workers somebody else ends.
    private static let maxKills = 2

    /// Starts a first worker, so that a system that cannot isolate images is noticed at once.
    ///
    /// - Parameter metrics: Makes the metrics of workers.
    /// - Throws: `IsolationError`: `isolation_unavailable` with what is missing, or `worker_unavailable`.
    public convenience init(
        _ program: WorkerProgram, limits: WorkerLimits = WorkerLimits(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(IsolationError) {
        try SharedMemory.checkSystem()
        let worker = try Worker(program, limits: limits, capacity: RenderRequest.capacity(for: Recipe.defaults))
        self.init(program, limits, WorkerMetrics(metrics), workers: [worker])
        self.metrics.countStart()
    }

    private init(_ program: WorkerProgram, _ limits: WorkerLimits, _ metrics: WorkerMetrics, workers: [Worker]) {
        (self.program, self.limits, self.metrics) = (program, limits, metrics)
        idle = Mutex(workers)
    }

    /// Renders an image as `Renderer` does, by a descriptor that is open for reading; nothing but it is handed over.
    ///
    /// An image is rejected for good for what it did to two fresh workers, which had seen nothing else before. The
    /// failure of a used worker, and a signal from outside, are no image's fault.
    ///
    /// - Parameters:
    ///   - file: The descriptor of a file of at least `byteCount` bytes.
    ///   - byteCount: The length of the image in bytes.
    ///   - others: Recipes of the same set whose renditions are there already; see `Renderer`.
    /// - Throws: `ImageError`, the renderer's, which is never transient; `IsolationError`, which is transient
    ///   when workers were killed from outside: try again after a while.
    public func render(
        _ file: Int32, byteCount: Int, recipes: [Recipe], beside others: [Recipe] = [],
        limits imageLimits: ImageLimits = ImageLimits()
    ) throws -> RenderedImage {
        let recipeCount = recipes.count + others.count
        guard recipeCount <= Self.maxRecipes else {
            throw ImageError(
                .badRecipe, "\(recipeCount) recipes are too many; the limit is \(Self.maxRecipes)",
                hint: "Render the image twice.")
        }
        let number = requestCount.add(1, ordering: .relaxed).newValue
        let request = RenderRequest(
            number: number, byteCount: byteCount, recipes: recipes, beside: others, limits: imageLimits)
        var (failures, kills) = (0, 0)
        var worker = try take(for: request)
        while true {
            let isFresh = worker.isFresh
            switch try render(file, request, by: worker) {
            case .success(let image): return image
            case .failure(let failure):
                metrics.count(failure)
                if failure.isFromOutside { kills += 1 } else if isFresh { failures += 1 }
                guard failures < Self.failuresForRejection, kills < Self.maxKills else { throw failure.error(limits) }
            }
            worker = try start(for: request)
        }
    }

    private func render(
        _ file: Int32, _ request: RenderRequest, by worker: Worker
    ) throws -> Result<RenderedImage, WorkerFailure> {
        switch try worker.render(file, request) {
        case .failed(let failure): return .failure(failure)
        // Memory is bounded, and the image is the same tomorrow.
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

    /// Renders in processes that get the processor only while nobody else wants it (`SCHED_IDLE`), and that are none of those
    /// here. They start with the first image.
    public func inBackground() -> IsolatedRenderer {
        var limits = limits
        limits.isBackground = true
        return IsolatedRenderer(program, limits, metrics, workers: [])
    }

    /// Ends the workers that have nothing to do; the next image starts another one.
    public func endIdleWorkers() {
        let ended = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        withExtendedLifetime(ended) {}  // Each waits for its process, for which nobody else is to wait.
    }

    private func take(for request: RenderRequest) throws(IsolationError) -> Worker {
        while let worker = idle.withLock({ $0.popLast() }) {
            if worker.isWaiting, worker.hasRoom(for: request) { return worker }
        }
        return try start(for: request)
    }

    private func start(for request: RenderRequest) throws(IsolationError) -> Worker {
        let worker = try Worker(program, limits: limits, capacity: request.capacity)
        metrics.countStart()
        return worker
    }

    private func giveBack(_ worker: Worker) {
        guard !worker.needsReplacement else { return }
        idle.withLock { $0.append(worker) }
    }
}
