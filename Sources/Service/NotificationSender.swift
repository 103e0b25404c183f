import Logging
import Outgoing
import ServiceLifecycle
import Social
import Store
import Tree
import Uploads

/// The service that passes notifications to the operator's program or address.
struct NotificationSender: Service, CustomStringConvertible {
    /// The time limit of a program for one notification.
    private static let programTime: Duration = .seconds(30)

    let description = "notifications"
    private let worker: OutboxWorker

    /// Creates the service, and records in the store whether there is a receiver.
    ///
    /// - Parameters:
    ///   - route: The receiver; nil for none.
    ///   - metrics: Counts the deliveries.
    /// - Returns: The service; nil if there is no receiver or the tree is damaged.
    /// - Throws: The engine's failure.
    static func make(
        in storage: StorageFolder, to route: OutgoingRoute?, counting metrics: WorkMetrics, logger: Logger
    ) async throws
        -> NotificationSender?
    {
        guard storage.tree.health.damage == nil else { return nil }
        try await Outbox(storage.tree, clock: storage.clock).setOn(route != nil)
        guard let route else { return nil }
        let worker = OutboxWorker(
            storage.tree, clock: storage.clock, logger: logger, onEnd: metrics.count
        ) { json in
            switch route {
            case .program(let program): try await program.run(json, within: programTime)
            case .webhook(let webhook): try await webhook.post(json)
            }
        }
        return NotificationSender(worker: worker)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await worker.run() }
    }
}
