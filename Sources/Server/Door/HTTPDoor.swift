import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Imaging
package import Logging
import NIOCore
package import Pipeline
import ServiceLifecycle

/// The HTTP door: the service's interface on a Unix socket and, when asked for, on a loopback port.
///
/// The socket has mode 0660 from its first moment and goes away with the service. Storage is locked before a pipeline
/// exists, so that a socket file which is there already was left by a process that is dead: it is replaced.
package struct HTTPDoor: Service {
    /// What an operator may choose about the door.
    package struct Settings: Sendable {
        /// At most 107 bytes: the kernel's limit.
        package var socketPath: String
        /// Where to listen on TCP; nil for nowhere.
        package var listen: LoopbackAddress?
        /// For all photos of one request together, in bytes; one photo has the pipeline's limit.
        package var maxRequestBytes = 256 << 20
        package var database = DatabaseSettings()
        /// How long a connection may be silent between requests, and how long a request's head may take (slow loris).
        package var idleTimeout = Duration.seconds(60)
        /// How long a graceful shutdown waits for requests in work: one whose client sends no more would hold it up.
        package var shutdownPatience = Duration.seconds(10)

        package init(socketPath: String) {
            self.socketPath = socketPath
        }
    }

    /// An address at which the door has begun to listen.
    package enum Listener: Sendable, Hashable {
        case socket(path: String)
        case tcp(host: String, port: Int)
    }

    private let pipeline: UploadPipeline
    private let settings: Settings
    private let logger: Logger
    private let onListening: @Sendable (Listener) -> Void
    private let database: DatabaseResponder
    private let streams: EventStreams

    /// Prepares the door; `onListening` is told each address once connections are taken there.
    package init(
        _ pipeline: UploadPipeline, settings: Settings, logger: Logger,
        onListening: @escaping @Sendable (Listener) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.settings = settings
        self.logger = logger
        self.onListening = onListening
        let database = DatabaseResponder(pipeline, settings: settings.database)
        self.database = database
        streams = EventStreams(
            pipeline.tree, keepAlive: .milliseconds(settings.database.keepAliveMilliseconds),
            route: database.source(for:isTrusted:))
    }

    /// Answers requests until a graceful shutdown; requests that are in work then are answered, if that does not
    /// take too long.
    ///
    /// - Throws: `ServerError` when an address cannot be listened at.
    package func run() async throws {
        try checkSocketPath()
        // New files, the socket above all, are never for everybody: there is no moment between bind and chmod.
        umask(umask(0o007) | 0o007)
        defer { removeSocket() }
        let responder = responder()
        var listeners = [socketApplication(responder)]
        if let address = settings.listen { listeners.append(tcpApplication(responder, at: address)) }
        var configuration = ServiceGroupConfiguration(services: listeners, logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.shutdownPatience
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw explained(error)
        }
    }

    // MARK: - What is served

    private var limits: BodyLimits {
        BodyLimits(
            maxPhotoBytes: pipeline.settings.limits.maxInputBytes, maxRequestBytes: settings.maxRequestBytes)
    }

    private func responder() -> DoorResponder {
        let routes = routes()
        return DoorResponder(
            routes: routes.buildResponder(), database: routes.middlewares.constructResponder(finalResponder: database))
    }

    private func routes() -> Router<DoorContext> {
        let router = Router(context: DoorContext.self)
        router.add(middleware: AnswerMiddleware { [pipeline] error in pipeline.notice(error) })
        router.add(middleware: LoopbackGuard(isEmulator: settings.database.isEmulator))
        UploadRoutes(pipeline, limits: limits).add(to: router)
        DraftRoutes(pipeline, limits: limits).add(to: router)
        EventRoutes(pipeline, keepAlive: settings.database.keepAlive).add(to: router)
        PostRoutes(pipeline).add(to: router)
        MediaRoutes(pipeline).add(to: router)
        RethumbRoutes(pipeline).add(to: router)
        ChangeRoutes(pipeline, settings.database).add(to: router)
        HealthRoutes(pipeline).add(to: router)
        PageRoutes().add(to: router)
        return router
    }

    // MARK: - Where it is served

    private func socketApplication(_ responder: DoorResponder) -> any Service {
        let (path, onListening) = (settings.socketPath, onListening)
        return application(responder, at: .unixDomainSocket(path: path)) { _ in
            chmod(path, 0o660)
            onListening(.socket(path: path))
        }
    }

    private func tcpApplication(_ responder: DoorResponder, at address: LoopbackAddress) -> any Service {
        let onListening = onListening
        return application(responder, at: .hostname(address.host, port: address.port)) { channel in
            onListening(.tcp(host: address.host, port: channel.localAddress?.port ?? address.port))
        }
    }

    private func application(
        _ responder: DoorResponder, at address: BindAddress, onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> any Service {
        let limits = limits
        let streams = streams
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [EventStreamGate(streams), BodyGate(limits, intake: pipeline.intake)],
            idleTimeout: TimeAmount(settings.idleTimeout),
            // A text of 2,000 characters in a query has up to 24,000 bytes.
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100))
        var logger = logger
        if logger.logLevel == .info { logger.logLevel = .notice }  // Whoever starts the door tells where it listens.
        return Application(
            responder: responder, server: .http1(configuration: http),
            configuration: ApplicationConfiguration(address: address, backlog: 1024),
            onServerRunning: onRunning, logger: logger)
    }
}

// MARK: - Why it cannot be served

extension HTTPDoor {
    private static let maxSocketPathBytes = 107

    /// What lies at the socket's path: its `st_mode` type bits; nil when there is nothing.
    private var kindAtSocketPath: mode_t? {
        var status = stat()
        return lstat(settings.socketPath, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private func removeSocket() {
        if kindAtSocketPath == S_IFSOCK { unlink(settings.socketPath) }
    }

    private func checkSocketPath() throws(ServerError) {
        if let kind = kindAtSocketPath, kind != S_IFSOCK {
            throw ServerError(
                .badSocketPath, "\(settings.socketPath) is there already, and is no socket",
                hint: "move it away, or give the socket another path")
        }
        let byteCount = settings.socketPath.utf8.count
        guard (1...Self.maxSocketPathBytes).contains(byteCount) else {
            throw ServerError(
                .badSocketPath,
                "the socket's path has \(byteCount) bytes, the limit is \(Self.maxSocketPathBytes): \(settings.socketPath)",
                hint: "choose a Storage folder with a shorter path, or give the socket a path of its own")
        }
    }

    private func explained(_ error: IOError) -> ServerError {
        switch (error.errnoCode, settings.listen) {
        case (EADDRINUSE, let address?):
            ServerError(
                .addressInUse, "port \(address.port) of \(address.host) is in use by another program",
                hint: "stop that program, or listen on another port")
        case (EACCES, let address?) where address.port < 1024:
            ServerError(
                .cannotListen, "port \(address.port) is for privileged programs", hint: "listen on 1024 or above")
        default:
            ServerError(
                .cannotListen, "cannot listen on \(settings.socketPath): \(error)",
                hint: "the folder has to exist and belong to the service's user")
        }
    }
}
