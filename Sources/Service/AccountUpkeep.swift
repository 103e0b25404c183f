import Access
import Accounts
import Logging
import ServiceLifecycle

/// The periodic work on accounts: replaces keys and deletes expired data.
struct AccountUpkeep: Service, CustomStringConvertible {
    private static let interval = Duration.seconds(3600)
    /// The time limit for sending requested messages when the service stops.
    private static let lastTime = Duration.seconds(10)

    let description = "accounts"
    let service: IdentityService
    let store: AccountStore
    let keys: SigningKeys
    let logger: Logger

    func run() async throws {
        let sweeper = AccountSweeper(of: store)
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    try await keys.rotateIfDue()
                    try await sweeper.sweep()
                } catch {
                    logger.error("the upkeep of accounts failed", metadata: ["fault": "\(error)"])
                }
            }
        }
        await sendLastMessages()
    }

    /// Waits until requested messages are sent, at most for ``lastTime``.
    private func sendLastMessages() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task { [service] in
            await service.drain()
            end.finish()
        }
        let limit = Task {
            try? await Task.sleep(for: Self.lastTime)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}

/// The service that keeps the keys of other issuers up to date.
struct IssuerUpkeep: Service, CustomStringConvertible {
    let description = "issuers"
    let keys: IssuerKeys

    func run() async throws {
        // It ends only by cancellation.
        await cancelWhenGracefulShutdown { try? await keys.run() }
    }
}
