import CPlatform
import ServiceLifecycle

/// Gives memory that large requests needed back to the system when they are done.
///
/// The C library keeps what was freed in small blocks, in case that it is needed again: after some large requests that
/// is a gigabyte.
struct HeapKeeper: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(5)
    /// As much may be kept, in bytes: giving it back would cost more than it brings.
    private static let keptBytes: UInt = 16 << 20

    /// Has the C library keep less from the start. Call it before there are threads.
    static func configure() { cplatform_heap_configure() }

    func run() async {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            if cplatform_heap_free_bytes() > Self.keptBytes { cplatform_heap_trim() }
        }
    }
}
