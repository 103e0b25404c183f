import CPlatform
import ServiceLifecycle

/// Returns memory that large requests have freed to the system.
///
/// The C library keeps what was freed in small blocks for later use; after some large requests that is a gigabyte.
package struct HeapTrimmer: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(5)
    /// The free memory that is kept, in bytes: returning so little would cost more than it gains.
    private static let keptBytes: UInt = 16 << 20

    /// Makes the C library keep less from the start. It has to be called before there are threads.
    package static func configure() { cplatform_heap_configure() }

    package func run() async {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            if cplatform_heap_free_bytes() > Self.keptBytes { cplatform_heap_trim() }
        }
    }
}
