import API
import Access
import CoreMetrics
import Cryptography
import Database
import DatabaseHTTP
import Files
import Hummingbird
import Logging
import NIOCore
import Requests
public import ServiceLifecycle
import Transport
@_exported public import Tree
import UnixSignals

/// An HTTP server of a tree, with the protocols of Firebase's Realtime Database: REST, event streams and WebSocket.
///
/// The tree stays open to the program: what it writes through its `TreeStore` reaches the listeners of the server at once. What
/// clients may read and write is decided by the rules of the tree (`TreeStore.setRules(_:of:)`); without rules they may
/// do nothing, except with a secret.
public struct DatabaseServer: Service {
    private let tree: TreeStore
    private let database: RealtimeDatabase
    private let configuration: DatabaseServerConfiguration
    private let parts: ServerParts
    private let onListening: @Sendable (_ port: Int) -> Void

    /// Prepares a server; nothing is listened to yet.
    ///
    /// - Parameters:
    ///   - tree: The tree; it must stay open until ``run()`` returns.
    ///   - configuration: The address, the certificate and the secrets of the server.
    ///   - onListening: Receives the port once connections are accepted.
    /// - Throws: ``DatabaseServerError`` for a configuration that cannot be used.
    public init(
        _ tree: TreeStore, _ configuration: DatabaseServerConfiguration = DatabaseServerConfiguration(),
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) throws {
        self.tree = tree
        self.configuration = configuration
        self.onListening = onListening
        do {
            parts = try ServerParts(configuration)
        } catch {
            throw DatabaseServerError.explained(error)
        }
        database = RealtimeDatabase(
            tree, disconnects: Self.disconnects, requests: RequestSweep.nodes, ids: PushIDGenerator(),
            isThrowAway: false, isOpenWithoutRules: false, spool: parts.spool, logger: configuration.logger)
    }

    /// The node of the writes that clients have left for the end of their connections, where the photo service has it, too.
    private static let disconnects = TreePath(["disconnects"], in: Namespace(reserved: "database"))

    /// Serves until a graceful shutdown, SIGINT or SIGTERM, or until the task is cancelled.
    ///
    /// Writes that clients have left for the end of their connections are made before it returns.
    ///
    /// - Throws: ``DatabaseServerError`` when the address cannot be listened at.
    public func run() async throws {
        await database.endLeftConnections()
        do {
            let sweep = RequestSweep(tree: tree, logger: configuration.logger)
            let group = ServiceGroupConfiguration(
                services: try listeners() + [sweep],
                gracefulShutdownSignals: [.sigint, .sigterm], logger: configuration.logger)
            try await ServiceGroup(configuration: group).run()
        } catch {
            throw DatabaseServerError.explained(error)
        }
        await database.waitForEndedConnections()
    }

    private func listeners() throws -> [any Service] {
        guard let files = configuration.tls else { return [listener(through: Transport(proxies: parts.proxies))] }
        let tls = try TLSTransport(
            TLSFiles(certificate: files.certificateFile, key: files.keyFile), TLSTransport.Times(),
            maxConnections: ConnectionLimits.ofProcess.tcp)
        let transport = Transport(tls: tls, proxies: parts.proxies)
        return [tls.certificateWatch(configuration.logger), listener(through: transport)]
    }

    private func listener(through transport: Transport) -> any Service {
        let application = parts.application(of: database)
        let listener = HTTPListener(
            patience: HTTPConnection.Patience(
                idle: .seconds(60), body: .seconds(60), reading: SlowReaderHandler.Pace()),
            traffic: Traffic(), room: ConnectionLimiter(),
            addressLimit: AddressLimit(
                limiter: parts.limiter, proxies: parts.proxies, onRefusal: parts.audit.refusedConnection(from:)),
            logger: configuration.logger)
        return listener.service(
            DatabaseResponders(application: application), owner: application.owner(for:from:),
            at: .hostname(parts.address.host, port: parts.address.port), through: transport,
            limit: ConnectionLimits.ofProcess.tcp
        ) { [onListening, address = parts.address] channel in
            onListening(channel.localAddress?.port ?? address.port)
        }
    }
}

/// The choice between the two kinds of requests of the database.
private struct DatabaseResponders: HTTPResponder {
    let application: DatabaseApplication

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        let responder = RealtimeResponder.isFor(request.head) ? application.wire : application.rest
        return try await responder.respond(to: request, context: context)
    }
}
