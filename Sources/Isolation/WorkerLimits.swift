/// The limits of what a worker may use before it is stopped, and of how long it is kept.
public struct WorkerLimits: Sendable, Hashable {
    /// The address space beyond what a worker has before its first image, in bytes.
    public var memoryBytes: Int
    /// The processor time for one image, in whole seconds.
    public var cpuSeconds: Int
    /// The processor time for all images of one worker, in seconds: it is replaced when the next one might go beyond.
    public var cpuSecondsPerWorker: Int { cpuSeconds * 100 }
    /// The time on the clock for one image: far more, for the machine may have other work.
    public var timeout: Duration
    /// Whether a worker gets the processor only while nobody else wants it. How long an image takes on the clock says nothing
    /// of it then: for a background worker `timeout` is a hundred times as long.
    public var isBackground = false
    /// The number of images that a worker renders before another takes its place: what leaks or gathers in it goes with
    /// it.
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

    /// The time on the clock that an image has to be rendered in.
    var clockTimeout: Duration { isBackground ? timeout * Self.backgroundTimeouts : timeout }

    private static let backgroundTimeouts = 100

    #if DEBUG
        /// A hundred seconds: code that was not optimised is some ten times slower.
        public static let defaultCPUSeconds = 100
    #else
        /// Ten seconds: an image of 12 megapixels takes a tenth of one.
        public static let defaultCPUSeconds = 10
    #endif
}
