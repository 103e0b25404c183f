import Logging
import Outgoing
import Pipeline
import ServiceLifecycle
import Social
import Store
import Tree

/// Hands notifications to the program or the address that the operator has chosen, while the service runs.
struct NotificationSender: Service, CustomStringConvertible {
    /// The time that a program has for one notification.
    private static let programTime: Duration = .seconds(30)

    let description = "notifications"
    private let worker: OutboxWorker

    /// Says to the store whether there is anything to deliver to.
    ///
    /// - Returns: nil when there is nothing.
    /// - Throws: `ConfigurationError`, and the engine's failure.
    static func make(
        in storage: StorageFolder, _ configuration: Configuration, _ client: OutgoingClient, logger: Logger
    ) async throws -> NotificationSender? {
        let choice = OutgoingChoice.notifications
        if let warning = try choice.webhookSecret(in: configuration)?.warning { logger.warning("\(warning)") }
        let way = try choice.way(in: configuration, by: client)
        guard storage.tree.health.damage == nil else { return nil }
        try await Outbox(storage.tree, clock: storage.clock).setOn(way != nil)
        guard let way else { return nil }
        let worker = OutboxWorker(storage.tree, clock: storage.clock, logger: logger) { json in
            switch way {
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
