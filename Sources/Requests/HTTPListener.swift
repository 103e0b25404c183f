package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
package import ServiceLifecycle
package import Transport

/// A listener of an HTTP server: it accepts connections at an address, within their limits, and has a responder answer.
package struct HTTPListener: Sendable {
    private let patience: HTTPConnection.Patience
    private let traffic: Traffic
    private let room: ConnectionLimiter
    private let addressLimit: AddressLimit
    private var logger: Logger

    /// - Parameters:
    ///   - room: The connections of all listeners.
    ///   - addressLimit: The limit of connections from one address.
    ///   - logger: The log of the server; it has no line for the start, which the caller logs.
    package init(
        patience: HTTPConnection.Patience, traffic: Traffic, room: ConnectionLimiter, addressLimit: AddressLimit,
        logger: Logger
    ) {
        self.patience = patience
        self.traffic = traffic
        self.room = room
        self.addressLimit = addressLimit
        self.logger = logger
        if logger.logLevel == .info { self.logger.logLevel = .notice }
    }

    /// Returns a service that listens at an address until a graceful shutdown.
    ///
    /// - Parameters:
    ///   - owner: Decides which part takes the connection of a request over.
    ///   - limit: The largest number of open connections.
    ///   - onRunning: Receives the listening channel once connections are accepted.
    package func service(
        _ responder: some HTTPResponder<HTTPContext>, owner: @escaping TakeoverHandler.OwnerChoice,
        at address: BindAddress, through transport: Transport, limit: Int,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> any Service {
        let connection = connection(through: transport, owner: owner)
        return Application(
            responder: responder,
            server: HTTPServerBuilder(connection),
            configuration: ApplicationConfiguration(address: address, backlog: 1024),
            onServerRunning: guarded(limit: limit, onRunning), logger: logger)
    }

    /// Returns a service that accepts connections on a listening socket until a graceful shutdown, which closes it.
    ///
    /// - Parameter descriptor: The socket; the other parameters are those of the listener at an address.
    package func service(
        _ responder: some HTTPResponder<HTTPContext>, owner: @escaping TakeoverHandler.OwnerChoice,
        on descriptor: Int32, through transport: Transport, limit: Int,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> any Service {
        PassedSocketServer(
            responder, on: descriptor, logger: logger, onRunning: guarded(limit: limit, onRunning),
            connection: connection(through: transport, owner: owner))
    }

    /// Returns the function that creates connections from the function that answers a request.
    private func connection(
        through transport: Transport, owner: @escaping TakeoverHandler.OwnerChoice
    ) -> @Sendable (@escaping HTTPChannelHandler.Responder) -> HTTPConnection {
        { [patience, traffic] in
            HTTPConnection(responder: $0, patience: patience, transport: transport, traffic: traffic, owner: owner)
        }
    }

    private func guarded(
        limit: Int, _ onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> @Sendable (any Channel) async -> Void {
        { [room, addressLimit] channel in
            await AcceptLimiter.guardConnections(of: channel, room, limit: limit, count: addressLimit.begin(from:))
            await onRunning(channel)
        }
    }
}
