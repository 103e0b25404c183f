import API
import ServiceLifecycle

extension Task where Success == Never, Failure == Never {
    /// Whether the service is ending, gracefully or because another part of it failed.
    package static var isEnding: Bool { isCancelled || isShuttingDownGracefully }
}
