package import Access
package import Accounts
import Database
import Foundation
import Logging
import Outgoing
import Server
import ServiceLifecycle
import Store
import Tree
import Uploads

/// The settings of accounts.
package struct AccountSettings: Sendable {
    /// The policy of sign-up, sign-in and messages.
    package var identity: IdentitySettings
    /// The issuers whose ID tokens are accepted, in addition to the service itself.
    package var issuers: [IssuerSettings]
    /// The service accounts whose custom tokens are accepted.
    package var serviceAccounts: [ServiceAccount]
    /// The delivery of messages to people; nil for none.
    package var delivery: CodeDelivery?
    /// The address at which people reach the service, without a path; empty when it is not known.
    package var origin: String

    package init(
        identity: IdentitySettings, issuers: [IssuerSettings], serviceAccounts: [ServiceAccount],
        delivery: CodeDelivery?, origin: String
    ) {
        self.identity = identity
        self.issuers = issuers
        self.serviceAccounts = serviceAccounts
        self.delivery = delivery
        self.origin = origin
    }
}

/// The accounts of the service, and the admission of requests.
struct AccountSetup: Sendable {
    /// The number of passwords that are hashed at a time: each hash needs 32 MiB and a processor.
    private static var hashesAtATime: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    let access: AccessControl
    let endpoints: HTTPServer.AccountEndpoints
    let media: MediaAccess
    /// The background services.
    let services: [any Service]

    /// Reads the keys of the accounts, and the rules of files.
    ///
    /// - Parameters:
    ///   - project: The audience of the service's tokens.
    ///   - site: The name of the service, for messages.
    /// - Throws: `TreeError` and `FileError`.
    init(
        in storage: StorageFolder, _ settings: AccountSettings, access: AccessControl.Settings, project: String,
        site: CurrentSite, _ client: OutgoingClient, logger: Logger
    ) async throws {
        let revocations = RevocationList()
        let store = AccountStore(
            tree: storage.tree, updatePerson: AccountPerson.write,
            onRevocation: { uid, seconds in revocations.revoke(uid: uid, before: seconds) })
        for (uid, seconds) in try await store.revocations() { revocations.revoke(uid: uid, before: seconds) }
        let authority = TokenAuthority(project: project, keys: try await SigningKeys(of: store).load())
        let keys = SigningKeys(of: store) { authority.replaceKeys($0) }
        let issuers = Self.issuers(settings.issuers, in: storage, client, logger)
        self.access = AccessControl(access, authority: authority, issuers: issuers.keys, revocations: revocations)
        let adminKeys = AdminKeys(of: store) { [access = self.access] keys in access.replaceAdminKeys(keys) }
        try await adminKeys.load()
        let customTokens = CustomTokenVerifier(
            accounts: settings.serviceAccounts, authority: authority, isEmulator: access.isEmulator)
        let proofs = IdentityProofs(customTokens: customTokens, issuers: issuers.keys, named: issuers.names)
        let service = IdentityService(
            store: store, passwords: PasswordHasher(atATime: Self.hashesAtATime), authority: authority, proofs: proofs,
            throttle: Throttle(clock: WallClock.now), settings: settings.identity,
            site: { [origin = settings.origin] in AccountMessage.Site(site.value, at: origin) },
            delivery: settings.delivery, logger: logger,
            audit: { Self.audit($0, logger) })
        let signer = MediaSigner(keys: try await MediaSigningKeys(of: store).load())
        let mediaKeys = MediaSigningKeys(of: store) { signer.replaceKeys($0) }
        let storageRules = try StorageRulesStore(in: storage.tree, project: authority.project)
        try await storageRules.load(logger: logger)
        media = MediaAccess(storageRules, signer: signer, at: storage.publicBase)
        endpoints = HTTPServer.AccountEndpoints(
            service: service, authority: authority, signingKeys: keys, adminKeys: adminKeys, mediaKeys: mediaKeys)
        let followers = [
            store.revocationFollower, adminKeys.follower, keys.follower, mediaKeys.follower,
            storageRules.follower(logger: logger),
        ]
        services = [
            AccountFollowing(followers: followers, logger: logger),
            AccountUpkeep(service: service, store: store, keys: keys, logger: logger),
            IssuerUpkeep(keys: issuers.keys),
        ]
    }
}

extension AccountMessage.Site {
    /// Returns the site as messages name it; paths become addresses if the service's own address is known.
    init(_ site: Site, at origin: String) {
        func complete(_ address: String?) -> String? { address.map { $0.hasPrefix("/") ? origin + $0 : $0 } }
        self.init(
            name: site.name, url: origin.isEmpty ? nil : "\(origin)/", language: site.language?.rawValue,
            imprint: complete(site.imprint), terms: complete(site.terms), privacy: complete(site.privacy))
    }
}

extension AccountSetup {
    /// Returns the keys of the accepted issuers, and the provider names with which apps sign in with their tokens.
    private static func issuers(
        _ issuers: [IssuerSettings], in storage: StorageFolder, _ client: OutgoingClient, _ logger: Logger
    ) -> (keys: IssuerKeys, names: [String: String]) {
        let names = issuers.compactMap { issuer in issuer.provider.map { ($0, issuer.issuer) } }
        let fetcher = KeyFetcher(client, of: issuers, keptIn: "\(storage.path)/issuer-keys", logger: logger)
        return (IssuerKeys(issuers, fetcher: fetcher), Dictionary(names) { first, _ in first })
    }

    /// Logs an action of an admin; refused requests are logged by the server.
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
