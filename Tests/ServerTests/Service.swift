import Access
import Accounts
import Client
import Database
import Foundation
import HTTPTypes
import Inbox
import Keeping
import Logging
import Model
import NIOCore
import Server
import Service
import ServiceLifecycle
import Store
import TestSupport
import Testing
import Tree
import Uploads

/// A service for one test: a pipeline and an HTTP server on a Storage folder that is deleted after the test.
struct Service: AskedService {
    let pipeline: Pipeline
    let server: HTTPServer
    let scratch: Scratch
    /// The client of the Unix socket.
    let client: ServiceClient
    /// The client of the TCP port.
    let tcpClient: ServiceClient
    let tcpPort: Int
    let socketPath: String
    /// The issuer of the tokens that the service accepts.
    let authority: TokenAuthority
    let access: AccessControl
    let mediaSigner: MediaSigner
    let shutDown: @Sendable () async -> Void

    var tree: TreeStore { pipeline.storage.tree }

    /// The keys of all services, as generating one takes a while.
    static let keys = Result { try KeyRing(now: WallClock.now()) }

    /// Returns a token without a signature, as clients of an emulator send it, which has expired already.
    static func mockToken(of uid: String) -> String {
        let parts = [#"{"alg":"none","type":"JWT"}"#, #"{"sub":"\#(uid)","iat":0,"exp":3600}"#].map { json in
            Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        return parts.joined(separator: ".") + "."
    }

    /// Waits until an upload has been reserved.
    func untilReserved() async throws {
        try await until { $0 != nil }
    }

    /// Waits until every upload has ended and has been cleaned up.
    func untilNothingIsUnfinished() async throws {
        try await until { $0 == nil }
    }

    private func until(_ isReached: (TreeValue?) -> Bool) async throws {
        let queue = try await tree.subscribe(to: UploadNodes.queued())
        guard !isReached(queue.value) else { return }
        for try await _ in queue {
            if isReached(try await tree.get(UploadNodes.queued())) { return }
        }
    }
}

/// Runs a test's body against a fresh service, then shuts it down as SIGTERM would: the server first.
func withService<R: Sendable>(
    engine: StorageFolder.TreeEngine = .sqlite, retention: ChangeRetention = ChangeRetention(),
    blobs: (any BlobStore)? = nil, change: (inout PipelineSettings) -> Void = { _ in },
    changeServer: (inout HTTPServer.Settings) -> Void = { _ in },
    changeAccess: (inout AccessControl.Settings) -> Void = { _ in },
    changeAccounts: (inout IdentitySettings) -> Void = { _ in }, issuers: IssuerKeys? = nil,
    moderator: Moderator? = nil,
    _ body: @Sendable (Service) async throws -> R
) async throws -> R {
    try await withScratch { scratch in
        let (listeners, continuation) = AsyncStream.makeStream(of: HTTPServer.Listener.self)
        let parts = try await ServiceParts(
            in: scratch, engine: engine, retention: retention, blobs: blobs, change: change, changeServer: changeServer,
            changeAccess: changeAccess, changeAccounts: changeAccounts, issuers: issuers, moderator: moderator
        ) {
            continuation.yield($0)
        }
        let (pipeline, server) = (parts.pipeline, parts.server)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: pipeline, successTerminationBehavior: .ignore), .init(service: server)],
                logger: parts.logger))
        let result = try await withServices(group, onEnd: { continuation.finish() }) {
            let port = try await tcpPort(of: listeners)
            return try await body(
                Service(
                    pipeline: pipeline, server: server, scratch: scratch,
                    client: ServiceClient(.socket(path: parts.socketPath)),
                    tcpClient: ServiceClient(.tcp(host: "127.0.0.1", port: port)), tcpPort: port,
                    socketPath: parts.socketPath, authority: parts.authority, access: parts.access,
                    mediaSigner: parts.media.signer, shutDown: { await group.triggerGracefulShutdown() }))
        }
        await pipeline.storage.close()
        return result
    }
}

/// Returns the port of a service, once it listens at all its addresses.
private func tcpPort(of listeners: AsyncStream<HTTPServer.Listener>) async throws -> Int {
    var port: Int?
    for await listener in listeners.prefix(2) {
        if case .tcp(_, let bound) = listener { port = bound }
    }
    guard let port else { throw ServiceDidNotStart() }
    return port
}

struct ServiceDidNotStart: Error {}
