import API
import ServiceLifecycle

extension Task where Success == Never, Failure == Never {
    /// Whether the service is to end, gracefully or because another part of it failed.
    package static var isEnding: Bool { isCancelled || isShuttingDownGracefully }
}

extension Duration {
    /// The whole milliseconds in it.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
