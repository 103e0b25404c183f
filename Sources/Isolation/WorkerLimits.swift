public import Imaging

/// The limits on a worker's use of the system, and on its lifetime.
public struct WorkerLimits: Sendable, Hashable {
    /// The maximum growth of the address space after the start of a worker, in bytes.
    public var memoryBytes: Int
    /// The maximum processor time for one image, in whole seconds.
    public var cpuSeconds: Int
    /// The maximum processor time for all images of one worker, in seconds; a worker is replaced when the next image
    /// might exceed it.
    public var cpuSecondsPerWorker: Int { cpuSeconds * 100 }
    /// The maximum elapsed time for one image; much more than the processor time, since the machine may be busy.
    public var timeout: Duration
    /// Whether a worker uses only idle processor time. The elapsed time then depends on the machine's other work, so
    /// the timeout is a hundred times `timeout`.
    public var isBackground = false
    /// The number of images that a worker renders before it is replaced, which frees memory that has leaked or
    /// accumulated.
    public var imagesPerWorker: Int

    /// Creates limits; the defaults suffice for all images within `ImageLimits()`.
    public init(
        memoryBytes: Int = 1024 * 1_048_576, cpuSeconds: Int = WorkerLimits.defaultCPUSeconds,
        timeout: Duration = .seconds(6 * WorkerLimits.defaultCPUSeconds), imagesPerWorker: Int = 1000
    ) {
        self.memoryBytes = memoryBytes
        self.cpuSeconds = cpuSeconds
        self.timeout = timeout
        self.imagesPerWorker = imagesPerWorker
    }

    /// Creates limits with room for the largest image that is accepted and for its renditions.
    public init(admitting limits: ImageLimits) {
        // Limits of images may exceed any memory.
        let limited = [limits.maxInputBytes, limits.maxWorkingBytes].map { min($0, 1 << 40) }
        self.init(memoryBytes: limited.reduce(320 * 1_048_576, +))
    }

    /// The maximum elapsed time for one image, with `isBackground` taken into account.
    var clockTimeout: Duration { isBackground ? timeout * Self.backgroundTimeouts : timeout }

    private static let backgroundTimeouts = 100

    #if DEBUG
        /// The default processor time for one image: 100 seconds, since code without optimisation is about ten times
        /// slower.
        public static let defaultCPUSeconds = 100
    #else
        /// The default processor time for one image: 10 seconds; an image of 12 megapixels needs a tenth of a second.
        public static let defaultCPUSeconds = 10
    #endif
}
