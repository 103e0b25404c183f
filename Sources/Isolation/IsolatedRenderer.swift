public import CoreMetrics
internal import Glibc
public import Imaging
import Synchronization

/// Renders images in sandboxed processes: an image that crashes its decoder is rejected permanently and has no other
/// effect.
///
/// Workers are reused and render one image at a time each; their number is the largest number of images that have been
/// rendered concurrently. Calls block until the image is rendered, and may come from any thread. The workers end with
/// this object, or with the process.
public final class IsolatedRenderer: Sendable {
    private let program: WorkerProgram
    private let limits: WorkerLimits
    private let metrics: WorkerMetrics
    private let idle: Mutex<[Worker]>
    private let requestCount = Atomic(0)

    /// The maximum number of recipes in a request, so that its message has room for them.
    private static let maxRecipes = 500

    /// The number of fresh workers that an image must end to be rejected; a used worker may have ended because of an
    /// earlier image.
    private static let failuresForRejection = 2
    /// The number of attempts at an image whose workers are killed from outside.
    private static let maxKills = 2

    /// Creates a renderer and starts a first worker, so that a system without support for isolation is detected at
    /// once.
    ///
    /// - Parameters:
    ///   - program: The program of the workers.
    ///   - limits: The limits of each worker.
    ///   - metrics: The factory of the metrics.
    /// - Throws: `IsolationError` with the code `isolation_unavailable`, which names the missing feature, or
    ///   `worker_unavailable`.
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

    /// Renders an image, as `Renderer` does, from an open file descriptor. The worker receives only this descriptor and
    /// memory for the renditions.
    ///
    /// An image is rejected permanently if it ends two fresh workers, which have rendered nothing else before. The
    /// failure of a used worker, or a signal from outside, is not attributed to the image.
    ///
    /// - Parameters:
    ///   - file: The descriptor, open for reading, of a file of at least `byteCount` bytes; the caller closes it.
    ///   - byteCount: The length of the image in bytes, from the beginning of the file.
    ///   - recipes: The recipes of the renditions; with `others`, 500 at most.
    ///   - others: Recipes of the same set whose renditions already exist; see `Renderer`.
    ///   - imageLimits: The limits on the image.
    /// - Returns: The renditions in the order of the recipes.
    /// - Throws: `ImageError` from the renderer, which is never transient; `IsolationError`, which is transient if the
    ///   fault was not the image's, such as workers that were killed from outside: try again later.
    public func render(
        _ file: Int32, byteCount: Int, recipes: [Recipe], beside others: [Recipe] = [],
        limits imageLimits: ImageLimits = ImageLimits()
    ) throws -> RenderedImage {
        let recipeCount = recipes.count + others.count
        guard recipeCount <= Self.maxRecipes else {
            throw ImageError(
                .badRecipe, "\(recipeCount) recipes are too many; the limit is \(Self.maxRecipes)",
                hint: "Render the recipes in several calls.")
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

    /// Renders an image as ``render(_:byteCount:recipes:beside:limits:)`` does, from a copy of its bytes in memory.
    ///
    /// - Throws: Also `IsolationError` `worker_unavailable` when there is no memory for the copy.
    public func render(
        _ bytes: [UInt8], recipes: [Recipe], beside others: [Recipe] = [], limits: ImageLimits = ImageLimits()
    ) throws -> RenderedImage {
        // A byte beyond the limit is enough to refuse the image.
        let bytes = bytes.prefix(limits.maxInputBytes + 1)
        let memory = try SharedMemory.copy(of: bytes)
        return try render(
            memory.descriptor, byteCount: bytes.count, recipes: recipes, beside: others, limits: limits)
    }

    /// Returns the size of an open file, in bytes.
    ///
    /// - Throws: `IsolationError` `unreadable`.
    package static func byteCount(of file: Int32) throws(IsolationError) -> Int {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(errno: errno) }
        return Int(status.st_size)
    }

    /// Returns a file's first bytes, at most so many.
    ///
    /// - Parameter file: A descriptor that is open for reading; its offset stays as it is.
    /// - Throws: `IsolationError` `unreadable`.
    package static func bytes(of file: Int32, maxCount: Int) throws(IsolationError) -> [UInt8] {
        let (bytes, error) = read(file, at: 0, maxBytes: maxCount)
        guard error == 0 else { throw .unreadable(errno: error) }
        return bytes
    }

    private func render(
        _ file: Int32, _ request: RenderRequest, by worker: Worker
    ) throws -> Result<RenderedImage, WorkerFailure> {
        switch try worker.render(file, request) {
        case .failed(let failure): return .failure(failure)
        // Memory is limited, and the same image would need as much the next time.
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

    /// Creates a renderer with the same program and limits whose workers use only idle processor time (`SCHED_IDLE`)
    /// and are separate from this renderer's. They start with the first image.
    public func inBackground() -> IsolatedRenderer {
        var limits = limits
        limits.isBackground = true
        return IsolatedRenderer(program, limits, metrics, workers: [])
    }

    /// Ends the workers that are idle, and waits for their end; the next image starts a new one.
    public func endIdleWorkers() {
        let ended = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        withExtendedLifetime(ended) {}  // Each waits for the end of its process, outside the lock.
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
