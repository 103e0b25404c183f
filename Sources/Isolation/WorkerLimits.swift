/// What a worker may use before it is stopped, and how long it is kept.
public struct WorkerLimits: Sendable, Hashable {
    /// Address space beyond what a worker has before its first photo, in bytes.
    public var memoryBytes: Int
    /// Processor time for one photo, in whole seconds.
    public var cpuSeconds: Int
    /// Processor time for all photos of one worker, in seconds: it is replaced when the next one might go beyond.
    public var cpuSecondsPerWorker: Int { cpuSeconds * 100 }
    /// Time on the clock for one photo: far more, for the machine may have other work.
    public var timeout: Duration
    /// How many photos a worker renders before another takes its place: what leaks or gathers in it goes with it.
    public var imagesPerWorker: Int

    /// Makes limits; the defaults admit what `ImageLimits()` does.
    public init(
        memoryBytes: Int = 1024 * 1_048_576, cpuSeconds: Int = WorkerLimits.defaultCPUSeconds,
        timeout: Duration = .seconds(6 * WorkerLimits.defaultCPUSeconds), imagesPerWorker: Int = 1000
    ) {
        self.memoryBytes = memoryBytes
        self.cpuSeconds = cpuSeconds
        self.timeout = timeout
        self.imagesPerWorker = imagesPerWorker
    }

    #if DEBUG
        /// Code that was not optimised is some ten times slower.
        public static let defaultCPUSeconds = 100
    #else
        /// Ten seconds: a photo of 12 megapixels takes a tenth of one.
        public static let defaultCPUSeconds = 10
    #endif
}
