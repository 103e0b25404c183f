import Access
import Accounts
import Logging
import ServiceLifecycle

/// What has to be done about accounts from time to time: keys are replaced, and what has expired is deleted.
struct AccountUpkeep: Service, CustomStringConvertible {
    private static let interval = Duration.seconds(3600)
    /// The time that messages which people wait for have when the service ends.
    private static let lastTime = Duration.seconds(10)

    let description = "accounts"
    let service: IdentityService
    let store: AccountStore
    let keys: SigningKeys
    let authority: TokenAuthority
    let logger: Logger

    func run() async throws {
        let sweeper = AccountSweeper(of: store)
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    authority.replaceKeys(try await keys.rotateIfDue())
                    try await sweeper.sweep()
                } catch {
                    logger.error("the upkeep of accounts failed", metadata: ["fault": "\(error)"])
                }
            }
        }
        await sendLastMessages()
    }

    /// Waits until messages that were ordered are handed over, but not for long.
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

/// Keeps the keys of other issuers up to date.
struct IssuerUpkeep: Service, CustomStringConvertible {
    let description = "issuers"
    let keys: IssuerKeys

    func run() async throws {
        // It ends by being cancelled, and by nothing else.
        await cancelWhenGracefulShutdown { try? await keys.run() }
    }
}
