import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A connection of the server: Hummingbird's HTTP/1.1, with what is stricter around its parser, until a request takes
/// the connection over.
package struct HTTPConnection: ServerChildChannel {
    /// The time that a client may take.
    package struct Patience: Sendable {
        /// How long a connection may be silent between requests, and how long a request's head may take.
        let idle: Duration
        /// How long a body may be waited for, beyond the time in which a slow one comes.
        let body: Duration
        /// How fast a client has to take what it asked for.
        let reading: SlowReaderHandler.Pace

        package init(idle: Duration, body: Duration, reading: SlowReaderHandler.Pace) {
            self.idle = idle
            self.body = body
            self.reading = reading
        }
    }

    /// A connection whose handlers are in place.
    package struct Value: ServerChildChannelValue {
        let client: ClientConnection
        let http: HTTP1Channel
        let requests: HTTP1Channel.Value

        package var channel: any Channel { requests.channel }
    }

    let responder: HTTPChannelHandler.Responder
    let patience: Patience
    /// What the connections of a listener have around HTTP.
    let transport: Transport
    /// Counts what is read.
    let traffic: Traffic
    /// Who takes a connection over from a request on.
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

    /// Adds what stands between the socket and the parser; each comes before those that were added before.
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

    /// Takes out of a connection all that reads and writes requests, and all that limits their time;
    /// ``TakeoverHandler`` stays, and lets nothing through any more.
    ///
    /// - Returns: The connection as it is without HTTP.
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
