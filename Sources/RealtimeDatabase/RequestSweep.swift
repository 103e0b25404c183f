import Logging
import ServiceLifecycle
import Tree

/// Deletes the keys of requests (`Idempotency-Key`) 30 days after the requests.
struct RequestSweep: Service {
    /// The nodes of the keys, where the photo service has them, too.
    static let nodes = RequestNodes(
        records: TreePath(["requests"], in: Namespace(reserved: "social")),
        order: TreePath(["request_order"], in: Namespace(reserved: "social")))

    private static let lifetime = Duration.seconds(30 * 86_400)
    private static let interval = Duration.seconds(3600)

    let tree: TreeStore
    let logger: Logger

    func run() async throws {
        let keys = RequestKeys(tree, at: Self.nodes)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await keys.forget(before: WallClock.now() - Self.lifetime)
                } catch {
                    logger.warning("expired request keys cannot be deleted yet", metadata: ["fault": "\(error)"])
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
