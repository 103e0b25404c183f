import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A connection of the server: Hummingbird's HTTP/1.1 with stricter handlers around its parser, until a request takes
/// the connection over.
package struct HTTPConnection: ServerChildChannel {
    /// The time limits for a client.
    package struct Patience: Sendable {
        /// The longest silence between requests, and the longest time for a request's head.
        let idle: Duration
        /// The longest wait for a body, in addition to the time that a slow one may take.
        let body: Duration
        /// The minimum pace at which a client must read its response.
        let reading: SlowReaderHandler.Pace

        package init(idle: Duration, body: Duration, reading: SlowReaderHandler.Pace) {
            self.idle = idle
            self.body = body
            self.reading = reading
        }
    }

    /// A connection whose handlers have been added.
    package struct Value: ServerChildChannelValue {
        let client: ClientConnection
        let http: HTTP1Channel
        let requests: HTTP1Channel.Value

        package var channel: any Channel { requests.channel }
    }

    let responder: HTTPChannelHandler.Responder
    let patience: Patience
    /// The layers around HTTP on the connections of a listener.
    let transport: Transport
    /// Counts the requests and bytes read.
    let traffic: Traffic
    /// Chooses the owner that takes a connection over.
    let owner: TakeoverHandler.OwnerChoice

    package init(
        responder:
            @escaping @concurrent @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void,
        patience: Patience, transport: Transport, traffic: Traffic, owner: @escaping TakeoverHandler.OwnerChoice
    ) {
        self.responder = responder
        self.patience = patience
        self.transport = transport
        self.traffic = traffic
        self.owner = owner
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        ClientConnection.of(
            channel, isEncrypted: transport.tls != nil, proxies: transport.proxies
        ).flatMap { client in
            let http = http(for: client)
            return http.setup(channel: channel, logger: logger).flatMapThrowing { requests in
                try addHandlers(to: channel.pipeline.syncOperations, for: client, logger)
                return Value(client: client, http: http, requests: requests)
            }
        }
    }

    package func handle(value: Value, logger: Logger) async {
        await ClientConnection.$current.withValue(value.client) {
            await value.http.handle(value: value.requests, logger: logger)
        }
    }

    private func http(for client: ClientConnection) -> HTTP1Channel {
        HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [TakeoverHandler(owner, of: client), SlowReaderHandler(patience.reading)],
                idleTimeout: TimeAmount(patience.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: RequestHead.maxBytes, maxHeaderListSize: RequestHead.maxBytes,
                    maxHeaderFieldCount: RequestHead.maxFields)))
    }

    /// Adds the handlers between the socket and the parser; each is placed before those added earlier.
    private func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations, for client: ClientConnection, _ logger: Logger
    ) throws {
        let framer = RequestFramer(traffic)
        try pipeline.addHandler(framer, position: .first)
        try pipeline.addHandler(
            MessageHandler(behind: framer, bodyPatience: TimeAmount(patience.body), logger: logger),
            position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
        try transport.tls?.addHandlers(to: pipeline)
        if client.expectsProxyHeader { try pipeline.addHandler(ProxyHeaderHandler(of: client), position: .first) }
    }

    /// Removes from a connection all handlers that read and write requests or limit their time; ``TakeoverHandler``
    /// stays and no longer lets anything through.
    ///
    /// - Returns: The connection without HTTP.
    static func takeOver(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> TakenConnection {
        let connection = TakenConnection()
        let encryption = try? pipeline.handler(type: NIOSSLServerHandler.self)
        try pipeline.addHandler(connection, position: encryption.map { .after($0) } ?? .first)
        remove(HTTPConnectionStateHandler.self, from: pipeline)
        remove(HTTP1ToHTTPServerCodec.self, from: pipeline)
        remove(ByteToMessageHandler<HTTPRequestDecoder>.self, from: pipeline)
        remove(HTTPResponseEncoder.self, from: pipeline)
        remove(MessageHandler.self, from: pipeline)
        remove(RequestFramer.self, from: pipeline)
        remove(SlowReaderHandler.self, from: pipeline)
        try connection.takeReading()
        return connection
    }

    private static func remove<Handler: RemovableChannelHandler>(
        _ type: Handler.Type, from pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let handler = try? pipeline.handler(type: type) else { return }
        pipeline.removeHandler(handler, promise: nil)
    }
}
