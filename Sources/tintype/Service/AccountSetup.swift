import Access
import Accounts
import Database
import Foundation
import Logging
import Server
import ServiceLifecycle
import Tree

/// The accounts of the service, and the decision as whom requests act: put together of their parts.
struct AccountSetup: Sendable {
    /// How many passwords are hashed at a time: each takes 32 MiB and a processor.
    private static var hashesAtATime: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    let access: AccessControl
    let endpoints: HTTPServer.AccountEndpoints
    let media: MediaAccess
    let upkeep: AccountUpkeep

    /// - Parameter warn: Is told what the operator should know about the settings.
    init(in tree: TreeStore, _ configuration: Configuration, logger: Logger) async throws {
        let access = try configuration.accessSettings { logger.warning("\($0)") }
        let revocations = RevocationList()
        let store = AccountStore(
            tree: tree, onRevocation: { uid, seconds in revocations.revoke(uid: uid, before: seconds) })
        for (uid, seconds) in try await store.revocations() { revocations.revoke(uid: uid, before: seconds) }
        let keys = SigningKeys(of: store)
        let authority = TokenAuthority(
            project: try configuration.databaseSettings().namespace, keys: try await keys.load())
        self.access = AccessControl(access, authority: authority, revocations: revocations)
        let adminKeys = AdminKeys(of: store) { [access = self.access] keys in access.replaceAdminKeys(keys) }
        try await adminKeys.load()
        let proofs = IdentityProofs(
            customTokens: CustomTokenVerifier(accounts: [], authority: authority, isEmulator: access.isEmulator))
        let service = IdentityService(
            store: store, passwords: PasswordHasher(atATime: Self.hashesAtATime), authority: authority, proofs: proofs,
            throttle: Throttle(clock: WallClock.milliseconds), settings: try configuration.identitySettings(),
            delivery: try configuration.accountCommand()?.delivery, logger: logger,
            audit: { Self.audit($0, logger) })
        let mediaKeys = MediaSigningKeys(of: store)
        let storageRules = try StorageRulesStore(in: tree, project: authority.project)
        try await storageRules.load(logger: logger)
        media = MediaAccess(storageRules, signer: MediaSigner(keys: try await mediaKeys.load()))
        endpoints = HTTPServer.AccountEndpoints(
            service: service, authority: authority, signingKeys: keys, adminKeys: adminKeys, mediaKeys: mediaKeys)
        upkeep = AccountUpkeep(store: store, keys: keys, authority: authority, logger: logger)
    }
}

extension AccountSetup {
    /// Tells what admins have done; who was refused, the server tells.
    private static func audit(_ event: AuditEvent, _ logger: Logger) {
        guard event.isAdmin else { return }
        logger.notice(
            "audit: done by an admin",
            metadata: [
                "act": "\(event.operation.rawValue)", "outcome": "\(event.outcome)", "address": "\(event.address)",
                "account": "\(event.uid ?? "")",
            ])
    }
}

/// What has to be done about accounts from time to time: keys are replaced, and what has expired is deleted.
struct AccountUpkeep: Service, CustomStringConvertible {
    private static let interval = Duration.seconds(3600)

    let description = "accounts"
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
    }
}
