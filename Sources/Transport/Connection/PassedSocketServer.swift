package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// A server of HTTP on a socket that listens already, until a graceful shutdown.
///
/// Hummingbird's own server can only open a socket by its address.
package struct PassedSocketServer: ServiceLifecycle.Service, CustomStringConvertible {
    package let description = "server on a passed socket"
    private let descriptor: Int32
    private let connection: HTTPConnection
    private let onRunning: @Sendable (any Channel) async -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - descriptor: The socket, which is closed with the server.
    ///   - connection: Creates the connections from the function that answers a request.
    ///   - onRunning: Receives the listening channel once connections are accepted.
    package init<Responder: HTTPResponder>(
        _ responder: Responder, on descriptor: Int32, logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void,
        connection: (@escaping HTTPChannelHandler.Responder) -> HTTPConnection
    ) where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        self.descriptor = descriptor
        self.onRunning = onRunning
        self.logger = logger
        self.connection = connection { request, writer, channel in
            try await Self.answer(request, by: responder, to: writer, on: channel, logger)
        }
    }

    package func run() async throws {
        let loops = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: loops)
        let (connection, logger) = (connection, logger)
        let listener = try await ServerBootstrap(group: loops)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = quiescing.makeServerChannelHandler(channel: channel)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(descriptor) { connection.setup(channel: $0, logger: logger) }
        try await withGracefulShutdownHandler {
            await onRunning(listener.channel)
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await value in connections {
                        group.addTask { await connection.handle(value: value, logger: logger) }
                    }
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    /// Answers a request as Hummingbird's application does.
    @concurrent private static func answer<Responder: HTTPResponder>(
        _ request: Request, by responder: Responder, to writer: consuming ResponseWriter, on channel: any Channel,
        _ logger: Logger
    ) async throws where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = HTTPDate.now
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // The parser's error would make the connection send a second response.
            throw ChannelError.ioOnClosedChannel
        }
    }
}
