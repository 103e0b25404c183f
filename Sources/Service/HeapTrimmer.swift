import CPlatform
import ServiceLifecycle

/// A service that returns memory freed by large requests to the system.
///
/// The C library keeps small freed blocks for later use, which can be a gigabyte after some large requests.
package struct HeapTrimmer: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(5)
    /// The free memory that is kept, in bytes: returning less than this would cost more than it gains.
    private static let keptBytes: UInt = 16 << 20

    /// Makes the C library keep less memory from the start. Must be called before any thread is created.
    package static func configure() { cplatform_heap_configure() }

    package func run() async {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            if cplatform_heap_free_bytes() > Self.keptBytes { cplatform_heap_trim() }
        }
    }
}
