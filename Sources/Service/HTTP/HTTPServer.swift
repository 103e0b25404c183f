import API
package import Access
import Accounts
package import Database
package import DatabaseHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Imaging
package import Logging
import Model
import NIOCore
package import Requests
package import Server
import ServiceLifecycle
import Store
package import Transport
import TreeModel

/// The HTTP server: the service's interface on a Unix socket and, if configured, on a port.
package struct HTTPServer: Service, CustomStringConvertible {
    /// The settings of the server.
    package struct Settings: Sendable {
        /// The path of the socket, of a length that `SocketPath` permits.
        package var socketPath: String
        /// The address to listen at on TCP; nil for none.
        package var listen: ListenAddress?
        /// The sockets that listen already; that for TCP listens at the address of `listen`.
        package var passed = PassedSockets()
        /// The certificate and key for connections over TCP; nil if they are not encrypted.
        package var tls: TLSFiles?
        /// The proxies whose information about clients is trusted; nil for none.
        package var proxies: TrustedProxies?
        /// The largest total size of the photos in one request, in bytes. A single photo has the pipeline's limit.
        package var maxRequestBytes = 256 << 20
        package var database = DatabaseSettings()
        /// The name and the looks of the service, which change with a reload.
        package var site = CurrentSite()
        /// Reads the operator's settings again; nil if that is not possible.
        package var reload: SettingsReload?
        /// The configuration file, which the first setup writes; nil if there is none.
        package var settingsWriter: (any SettingsWriter)?
        /// The requesters of the first setup; nil if it is not offered.
        package var firstRun: FirstRun?
        /// The log of all requests; nil for none.
        package var accessLog: AccessLog?
        /// The web pages that may use the service over TCP, in addition to its own. In emulator mode, all may.
        package var allowedOrigins = AllowedOrigins.these([])
        /// The address under which a proxy makes the service available; nil for none.
        package var publicURL: PublicURL?
        /// The limits of a single client's requests.
        package var limits = ClientLimits()
        /// The time limit for idle connections between requests, and for a request's head (slow loris).
        package var idleTimeout = Duration.seconds(60)
        /// The limits on open connections; nil for the number of descriptors of the process.
        package var connections: ConnectionLimits?
        /// The time that the server waits for a body, in addition to the time in which a slow one arrives.
        package var bodyPatience = Duration.seconds(60)
        /// The time limits of TLS.
        var tlsTimes = TLSTransport.Times()
        /// The minimum speed at which a client must read a response.
        package var readingPace = SlowReaderHandler.Pace()
        /// The largest total size of database responses on disk, in bytes.
        package var maxSpooledBytes = ResponseSpool.maxBytes
        /// The time that a graceful shutdown waits for requests in progress, so that a client that stops sending does
        /// not hold it up.
        package var shutdownPatience = Duration.seconds(10)

        package init(socketPath: String) { self.socketPath = socketPath }
    }

    /// An address at which the server has begun to listen.
    package enum Listener: Sendable, Hashable {
        case socket(path: String)
        case tcp(host: String, port: Int)
    }

    package var description: String { "HTTP server" }

    let pipeline: Pipeline
    let settings: Settings
    let logger: Logger
    private let onListening: @Sendable (Listener) -> Void
    let names: HostNames
    let admission: Admission
    package let access: DatabaseAccess
    package let spool: ResponseSpool
    let audit: AuditLog
    let media: MediaAccess
    let visibility: Visibility
    /// The origins of the pages that may use the service, in addition to its own.
    let origins: AllowedOrigins
    let room = ConnectionLimiter()
    let traffic = Traffic()
    private let pages: PageAddresses
    let accounts: AccountEndpoints?
    /// The setup of the service; nil without accounts.
    let setup: ServiceSetup?

    /// Creates the server.
    ///
    /// - Parameters:
    ///   - pipeline: The parts for the routes.
    ///   - access: The admission of requests.
    ///   - media: The decision who may fetch which file.
    ///   - accounts: The service's own accounts; nil for none.
    ///   - onListening: Is called with each address once the server listens there.
    package init(
        _ pipeline: Pipeline, settings: Settings, access: AccessControl, media: MediaAccess,
        accounts: AccountEndpoints? = nil, logger: Logger,
        onListening: @escaping @Sendable (Listener) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.settings = settings
        self.accounts = accounts
        self.logger = logger
        self.onListening = onListening
        let origins = settings.publicURL.map { settings.allowedOrigins.adding($0.origin) } ?? settings.allowedOrigins
        self.origins = settings.database.isEmulator ? origins.addingOwnMachine : origins
        pages = PageAddresses(publicURL: settings.publicURL, isEncrypted: settings.tls != nil)
        names = HostNames(publicHost: settings.publicURL?.host)
        spool = ResponseSpool(in: pipeline.storage.incoming, maxBytes: settings.maxSpooledBytes)
        let database = RealtimeDatabase(
            pipeline.tree, disconnects: StoreNodes.disconnect(), requests: WorkNodes.requests,
            ids: pipeline.storage.ids,
            isThrowAway: pipeline.storage.engine == .memory,
            isOpenWithoutRules: settings.database.isEmulator, spool: spool, logger: logger)
        admission = Admission(access: access, limiter: ClientLimiter(settings.limits), open: OpenStreams())
        audit = AuditLog(logger)
        self.access = DatabaseAccess(settings.database, to: database, publicHost: names.publicHost)
        self.media = media
        setup = accounts.map {
            ServiceSetup(of: pipeline.tree, $0.service.adminSetup, media.rules, firstRun: settings.firstRun)
        }
        visibility = Visibility(pipeline.tree, isOpenWithoutRules: settings.database.isEmulator)
    }

    /// Checks that the server can listen at its addresses, before other parts are started.
    ///
    /// - Throws: `Failure` that names the address, or the certificate.
    package func checkAddresses() async throws {
        if let tls = settings.tls { _ = try TLSCertificates(tls) }
        try await addresses.check()
    }

    /// Serves requests until a graceful shutdown. Requests in progress are then finished, within a time limit.
    ///
    /// - Throws: `Failure` if the server cannot listen at an address.
    package func run() async throws {
        try addresses.prepareSocket()
        defer { addresses.removeSocket() }
        let operations = operationsReport
        let responder = responder(operations)
        let certificateMetric = CertificateMetric(pipeline.storage.metrics)
        AccessLog.dropped(pipeline.storage.metrics)
        var listeners: [any Service] = [operations.history, socketApplication(responder)]
        if let address = settings.listen {
            let tls = try settings.tls.map { files throws(Failure) in
                try TLSTransport(files, settings.tlsTimes, maxConnections: connections.tcp)
            }
            let transport = Transport(tls: tls, proxies: settings.proxies)
            listeners.append(tcpApplication(responder, at: address, through: transport))
            if let tls { listeners.append(tls.certificateWatch(logger, onRead: certificateMetric.show)) }
        }
        await access.database.endLeftConnections()
        var configuration = ServiceGroupConfiguration(services: listeners, logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.shutdownPatience
        do {
            try await ServiceGroup(configuration: configuration).run()
            await access.database.waitForEndedConnections()
        } catch let error as IOError {
            throw addresses.explained(error)
        }
    }

    // MARK: - Applications

    var operationsReport: OperationsReport {
        OperationsReport(
            .init(
                storage: pipeline.storage, disk: pipeline.disk, store: pipeline.store, scheduler: pipeline.scheduler,
                postRuns: pipeline.postRuns),
            health, room: room, open: admission.open, audit: audit, traffic: traffic, pages: pages)
    }

    func responder(_ operations: OperationsReport) -> Dispatcher {
        let proxyWarning = ProxyWarning()
        let photosGuard = SiteGuard(names: names, origins: origins, proxyWarning: proxyWarning)
        let database = DatabaseApplication(
            access, admission, audit, siteGuard: photosGuard, origins: origins, responses: responses(in: .database),
            keepAlive: settings.database.keepAlive, patience: settings.readingPace.time,
            metrics: pipeline.storage.metrics)
        return Dispatcher(
            photos: photos(behind: photosGuard, operations).buildResponder(),
            database: database, identity: identity(behind: photosGuard), storage: storage(behind: photosGuard),
            traffic: traffic,
            metrics: RequestMetrics(pipeline.storage.metrics), accessLog: settings.accessLog)
    }

    // MARK: - Addresses

    private var addresses: ListenAddresses {
        ListenAddresses(socketPath: settings.socketPath, tcp: settings.listen, passed: settings.passed)
    }

    private var connections: ConnectionLimits { settings.connections ?? .ofProcess }

    private var listener: HTTPListener {
        HTTPListener(
            patience: HTTPConnection.Patience(
                idle: settings.idleTimeout, body: settings.bodyPatience, reading: settings.readingPace),
            traffic: traffic, room: room,
            addressLimit: AddressLimit(
                limiter: admission.limiter, proxies: settings.proxies, onRefusal: audit.refusedConnection(from:)),
            logger: logger)
    }

    private func socketApplication(_ responder: Dispatcher) -> any Service {
        let (addresses, onListening) = (addresses, onListening)
        if let socket = settings.passed.unix {
            return listener.service(
                responder, owner: responder.owner(for:from:), on: socket.descriptor, through: Transport(),
                limit: connections.all
            ) { _ in onListening(.socket(path: socket.address.pathname ?? "")) }
        }
        let path = addresses.socketPath
        return listener.service(
            responder, owner: responder.owner(for:from:), at: .unixDomainSocket(path: path), through: Transport(),
            limit: connections.all
        ) { _ in
            addresses.openSocketToGroup()
            onListening(.socket(path: path))
        }
    }

    private func tcpApplication(
        _ responder: Dispatcher, at address: ListenAddress, through transport: Transport
    ) -> any Service {
        let (pages, onListening) = (pages, onListening)
        let onRunning: @Sendable (any Channel) async -> Void = { channel in
            let port = channel.localAddress?.port ?? address.port
            pages.add(host: address.host, port: port)
            onListening(.tcp(host: address.host, port: port))
        }
        if let socket = settings.passed.tcp {
            return listener.service(
                responder, owner: responder.owner(for:from:), on: socket.descriptor, through: transport,
                limit: connections.tcp, onRunning: onRunning)
        }
        let place = BindAddress.hostname(address.host, port: address.port)
        return listener.service(
            responder, owner: responder.owner(for:from:), at: place, through: transport, limit: connections.tcp,
            onRunning: onRunning)
    }
}
