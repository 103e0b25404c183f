import Logging
import ServiceLifecycle
import Synchronization
import Tree

/// A service that tells the manager when requests are accepted, that the service works, and when it ends.
final class ManagerReport: ServiceLifecycle.Service, CustomStringConvertible {
    static let status = "accepting requests"

    let description = "service manager"
    private let manager: ServiceManager
    /// The addresses at which the server does not listen yet.
    private let missingListeners: Mutex<Int>
    private let check: @Sendable () async throws -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - listeners: The number of addresses at which the server will listen.
    ///   - check: Reads from the tree, and throws if the tree does not answer.
    init(
        to manager: ServiceManager, listeners: Int, check: @escaping @Sendable () async throws -> Void, logger: Logger
    ) {
        self.manager = manager
        missingListeners = Mutex(listeners)
        self.check = check
        self.logger = logger
    }

    /// Must be called for each address at which the server has begun to listen. The last call tells the manager.
    func listening() {
        let isLast = missingListeners.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { manager.tell(.ready(Self.status)) }
    }

    /// Reports until a graceful shutdown, which is reported, too.
    func run() async {
        await withGracefulShutdownHandler {
            guard let interval = manager.interval else {
                try? await gracefulShutdown()
                return
            }
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                if await isWorking() { manager.tell(.alive) }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) }
            }
        } onGracefulShutdown: { [manager] in
            manager.tell(.stopping)
        }
    }

    /// Whether the tree answers. Damage is an answer: it outlasts a restart, and a service that runs reports it.
    private func isWorking() async -> Bool {
        do {
            try await check()
            return true
        } catch let error as TreeError where error.isDamage {
            return true
        } catch {
            logger.error("the tree does not answer", metadata: ["fault": "\(error)"])
            return false
        }
    }
}
