import Access
import Accounts
import Client
import Database
import Foundation
import HTTPTypes
import Inbox
import Keeping
import Logging
import NIOCore
import Posts
import Server
import Service
import ServiceLifecycle
import Store
import TestSupport
import Testing
import Tree
import Uploads

/// A service of a test's own: a pipeline and an HTTP server on a Storage folder that goes when the test is over.
struct Service: Sendable {
    let pipeline: Pipeline
    let server: HTTPServer
    let scratch: Scratch
    /// Speaks to the Unix socket.
    let client: ServiceClient
    /// Speaks to the TCP port.
    let tcpClient: ServiceClient
    let tcpPort: Int
    let socketPath: String
    /// Issues the tokens that the service believes.
    let authority: TokenAuthority
    let access: AccessControl
    let mediaSigner: MediaSigner
    let shutDown: @Sendable () async -> Void

    var tree: TreeStore { pipeline.storage.tree }

    /// The keys of all services: making one takes a while.
    static let keys = Result { try KeyRing(now: WallClock.milliseconds()) }

    /// The headers of a request that a user sends who has signed in.
    func headers(of uid: String, _ claims: [String: JSONValue] = [:]) throws -> HTTPFields {
        var claims = claims
        claims["sub"] = .string(uid)
        claims["user_id"] = .string(uid)
        return [.authorization: "Bearer \(try authority.issue(claims))"]
    }

    /// A token that nothing signs, as clients of an emulator send it, and which has expired when it is made.
    static func mockToken(of uid: String) -> String {
        let parts = [#"{"alg":"none","type":"JWT"}"#, #"{"sub":"\#(uid)","iat":0,"exp":3600}"#].map { json in
            Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        return parts.joined(separator: ".") + "."
    }

    /// Waits until the jobs are done that what was written has caused.
    func finishJobs() async throws {
        try await eventually { try await tree.snapshot { try !$0.exists(TreePath(["jobs"], in: .social)) } }
    }

    /// Waits until an upload has been reserved.
    func untilReserved() async throws {
        try await until { $0 != nil }
    }

    /// Waits until every upload has ended, and nothing is left to tidy up.
    func untilNothingIsUnfinished() async throws {
        try await until { $0 == nil }
    }

    private func until(_ isReached: (TreeValue?) -> Bool) async throws {
        let queue = try await tree.subscribe(to: Paths.queue)
        guard !isReached(queue.value) else { return }
        for try await _ in queue {
            if isReached(try await tree.get(Paths.queue)) { return }
        }
    }
}

/// Runs a test's body against a fresh service, then shuts it down as SIGTERM would: the server first.
func withService<R: Sendable>(
    engine: StorageFolder.TreeEngine = .sqlite, retention: ChangeRetention = ChangeRetention(),
    change: (inout PipelineSettings) -> Void = { _ in },
    changeServer: (inout HTTPServer.Settings) -> Void = { _ in },
    changeAccess: (inout AccessControl.Settings) -> Void = { _ in }, issuers: IssuerKeys? = nil,
    moderator: Moderator? = nil,
    _ body: @Sendable (Service) async throws -> R
) async throws -> R {
    try await withScratch { scratch in
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let path = "\(scratch.path)/Storage"
        var serverSettings = try patientSettings(at: StorageFolder.socketPath(in: path))
        changeServer(&serverSettings)
        let project = serverSettings.database.namespace
        let storage = try await StorageFolder.open(
            path: path, engine: engine, retention: retention,
            mediaPlace: serverSettings.publicURL?.mediaPlace(ofProject: project))
        // What a new store begins with is not to come among what the test commits.
        try await DataUpgrade(storage, logger: logger).run()
        var settings = PipelineSettings(workers: 2)
        change(&settings)
        let pipeline = Pipeline(storage: storage, settings: settings, moderator: moderator, logger: logger)
        let (listeners, continuation) = AsyncStream.makeStream(of: HTTPServer.Listener.self)
        var accessSettings = AccessControl.Settings(peers: try PeerPolicy())
        accessSettings.isEmulator = serverSettings.database.isEmulator
        changeAccess(&accessSettings)
        let authority = TokenAuthority(project: project, keys: try Service.keys.get())
        let access = AccessControl(accessSettings, authority: authority, issuers: issuers)
        let media = try await media(in: storage, of: authority)
        let server = HTTPServer(
            HTTPServer.Parts(pipeline), settings: serverSettings, access: access, media: media,
            accounts: accounts(
                in: storage.tree, access: access, authority: authority, isEmulator: accessSettings.isEmulator,
                logger: logger), logger: logger
        ) {
            continuation.yield($0)
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: pipeline, successTerminationBehavior: .ignore), .init(service: server)],
                logger: logger))
        let socketPath = serverSettings.socketPath
        let result = try await withServices(group, onEnd: { continuation.finish() }) {
            let port = try await tcpPort(of: listeners)
            return try await body(
                Service(
                    pipeline: pipeline, server: server, scratch: scratch,
                    client: ServiceClient(.socket(path: socketPath)),
                    tcpClient: ServiceClient(.tcp(host: "127.0.0.1", port: port)), tcpPort: port,
                    socketPath: socketPath, authority: authority, access: access, mediaSigner: media.signer,
                    shutDown: { await group.triggerGracefulShutdown() }))
        }
        await storage.close()
        return result
    }
}

/// Settings with which nothing happens because a machine is slow.
private func patientSettings(at socketPath: String) throws -> HTTPServer.Settings {
    var settings = HTTPServer.Settings(socketPath: socketPath)
    settings.listen = try ListenAddress("127.0.0.1:0")
    settings.shutdownPatience = .seconds(600)
    settings.idleTimeout = .seconds(600)
    settings.bodyPatience = .seconds(600)
    settings.database.keepAliveMilliseconds = 600_000
    return settings
}

/// The port at which a service listens, once it listens at all its addresses.
private func tcpPort(of listeners: AsyncStream<HTTPServer.Listener>) async throws -> Int {
    var port: Int?
    for await listener in listeners.prefix(2) {
        if case .tcp(_, let bound) = listener { port = bound }
    }
    guard let port else { throw ServiceDidNotStart() }
    return port
}

/// The decision who may fetch which file, as the program puts it together.
private func media(in storage: StorageFolder, of authority: TokenAuthority) async throws -> MediaAccess {
    let keys = try await MediaSigningKeys(of: AccountStore(tree: storage.tree)).load()
    return MediaAccess(
        try StorageRulesStore(in: storage.tree, project: authority.project), signer: MediaSigner(keys: keys),
        at: storage.mediaPlace)
}

/// The accounts of a service, as the program puts them together.
private func accounts(
    in tree: TreeStore, access: AccessControl, authority: TokenAuthority, isEmulator: Bool, logger: Logger
) -> HTTPServer.AccountEndpoints {
    let store = AccountStore(
        tree: tree, updatePerson: AccountPerson.write,
        onRevocation: { access.revocations.revoke(uid: $0, before: $1) })
    let identity = IdentityService(
        store: store, passwords: PasswordHasher(atATime: 1), authority: authority,
        proofs: IdentityProofs(
            customTokens: CustomTokenVerifier(accounts: [], authority: authority, isEmulator: isEmulator)),
        throttle: Throttle(clock: WallClock.milliseconds),
        settings: IdentitySettings(actionURL: "http://localhost/account"), logger: logger)
    return HTTPServer.AccountEndpoints(
        service: identity, authority: authority, signingKeys: SigningKeys(of: store),
        adminKeys: AdminKeys(of: store, onChange: { access.replaceAdminKeys($0) }),
        mediaKeys: MediaSigningKeys(of: store))
}

struct ServiceDidNotStart: Error {}
