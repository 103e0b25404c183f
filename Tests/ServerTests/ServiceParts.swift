import Access
import Accounts
import Database
import Keeping
import Logging
import Model
import Service
import Store
import TestSupport
import Tree
import Uploads

@testable import Requests
@testable import Server
@testable import Service

/// A pipeline and an HTTP server on a Storage folder for one test, neither of which runs yet.
struct ServiceParts: Sendable {
    let pipeline: Pipeline
    let server: HTTPServer
    let authority: TokenAuthority
    let access: AccessControl
    let media: MediaAccess
    let socketPath: String
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(
        in scratch: Scratch, engine: StorageFolder.TreeEngine = .sqlite, retention: ChangeRetention = ChangeRetention(),
        blobs: (any BlobStore)? = nil, change: (inout PipelineSettings) -> Void = { _ in },
        changeServer: (inout HTTPServer.Settings) -> Void = { _ in },
        changeAccess: (inout AccessControl.Settings) -> Void = { _ in },
        changeAccounts: (inout IdentitySettings) -> Void = { _ in }, issuers: IssuerKeys? = nil,
        moderator: Moderator? = nil, onListening: @escaping @Sendable (HTTPServer.Listener) -> Void = { _ in }
    ) async throws {
        let path = "\(scratch.path)/Storage"
        var serverSettings = try patientSettings(at: StorageFolder.socketPath(in: path))
        changeServer(&serverSettings)
        socketPath = serverSettings.socketPath
        let project = serverSettings.database.namespace
        let storage = try await StorageFolder.open(
            path: path, engine: engine, blobs: blobs, retention: retention,
            publicBase: serverSettings.publicURL?.publicBase(ofProject: project))
        // The first writes of a new store should not be mixed with the commits of the test.
        try await DataUpgrade(storage, logger: logger).run()
        var settings = PipelineSettings(workers: 2)
        change(&settings)
        pipeline = Pipeline(storage: storage, settings: settings, moderator: moderator, logger: logger)
        var accessSettings = AccessControl.Settings(peers: try PeerPolicy())
        accessSettings.isEmulator = serverSettings.database.isEmulator
        changeAccess(&accessSettings)
        authority = TokenAuthority(project: project, keys: try Service.keys.get())
        access = AccessControl(accessSettings, authority: authority, issuers: issuers)
        media = try await Self.media(in: storage, of: authority)
        var accountSettings = IdentitySettings(actionURL: "http://localhost/account")
        changeAccounts(&accountSettings)
        server = HTTPServer(
            pipeline, settings: serverSettings, access: access, media: media,
            accounts: Self.accounts(
                in: storage.tree, access: access, authority: authority, signer: media.signer,
                isEmulator: accessSettings.isEmulator,
                settings: accountSettings, logger: logger), logger: logger, onListening: onListening)
    }
}

extension ServiceParts {
    /// Creates the access control of files, in the same way as the program.
    private static func media(in storage: StorageFolder, of authority: TokenAuthority) async throws -> MediaAccess {
        let keys = try await MediaSigningKeys(of: AccountStore(tree: storage.tree)).load()
        return MediaAccess(
            try StorageRulesStore(in: storage.tree, project: authority.project), signer: MediaSigner(keys: keys),
            at: storage.publicBase)
    }

    /// Creates the accounts of a service, in the same way as the program.
    private static func accounts(
        in tree: TreeStore, access: AccessControl, authority: TokenAuthority, signer: MediaSigner, isEmulator: Bool,
        settings: IdentitySettings, logger: Logger
    ) -> HTTPServer.AccountEndpoints {
        let store = AccountStore(
            tree: tree, updatePerson: AccountPerson.write,
            onRevocation: { access.revocations.revoke(uid: $0, before: $1) })
        let identity = IdentityService(
            store: store, passwords: PasswordHasher(atATime: 1), authority: authority,
            proofs: IdentityProofs(
                customTokens: CustomTokenVerifier(accounts: [], authority: authority, isEmulator: isEmulator)),
            throttle: Throttle(clock: WallClock.now),
            settings: settings, site: { .init(name: "Tintype") }, logger: logger)
        return HTTPServer.AccountEndpoints(
            service: identity, authority: authority, signingKeys: SigningKeys(of: store) { authority.replaceKeys($0) },
            adminKeys: AdminKeys(of: store, onChange: { access.replaceAdminKeys($0) }),
            mediaKeys: MediaSigningKeys(of: store) { signer.replaceKeys($0) })
    }
}

/// Returns settings with timeouts long enough for a slow machine.
private func patientSettings(at socketPath: String) throws -> HTTPServer.Settings {
    var settings = HTTPServer.Settings(socketPath: socketPath)
    settings.listen = try ListenAddress("127.0.0.1:0")
    settings.shutdownPatience = .seconds(600)
    settings.idleTimeout = .seconds(600)
    settings.bodyPatience = .seconds(600)
    settings.database.keepAliveMilliseconds = 600_000
    return settings
}
