import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of the server: Hummingbird's HTTP/1.1, with what is stricter around its parser, until a request takes
/// the connection over.
struct HTTPConnection: ServerChildChannel {
    /// The time that a client may take.
    struct Patience: Sendable {
        /// How long a connection may be silent between requests, and how long a request's head may take.
        let idle: Duration
        /// How long a body may be waited for, beyond the time in which a slow one comes.
        let body: Duration
        /// How fast a client has to take what it asked for.
        let reading: SlowReaderHandler.Pace
    }

    private let http: HTTP1Channel
    private let bodyPatience: TimeAmount

    /// - Parameter owner: Who takes a connection over from a request on.
    init(
        responder: @escaping HTTPChannelHandler.Responder, patience: Patience,
        owner: @escaping TakeoverHandler.OwnerChoice
    ) {
        http = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [TakeoverHandler(owner), SlowReaderHandler(patience.reading)],
                idleTimeout: TimeAmount(patience.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: RequestHead.maxBytes, maxHeaderListSize: RequestHead.maxBytes,
                    maxHeaderFieldCount: RequestHead.maxFields)))
        bodyPatience = TimeAmount(patience.body)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let framer = RequestFramer()
            try pipeline.addHandler(framer, position: .first)
            try pipeline.addHandler(
                MessageHandler(behind: framer, bodyPatience: bodyPatience, logger: logger),
                position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }

    /// Takes out of a connection all that reads and writes requests, and all that limits their time;
    /// ``TakeoverHandler`` stays, and lets nothing through any more.
    ///
    /// - Returns: The connection as it is without HTTP.
    static func takeOver(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> TakenConnection {
        let connection = TakenConnection()
        try pipeline.addHandler(connection, position: .first)
        remove(HTTPConnectionStateHandler.self, from: pipeline)
        remove(HTTP1ToHTTPServerCodec.self, from: pipeline)
        remove(ByteToMessageHandler<HTTPRequestDecoder>.self, from: pipeline)
        remove(HTTPResponseEncoder.self, from: pipeline)
        remove(MessageHandler.self, from: pipeline)
        remove(RequestFramer.self, from: pipeline)
        remove(SlowReaderHandler.self, from: pipeline)
        return connection
    }

    private static func remove<Handler: RemovableChannelHandler>(
        _ type: Handler.Type, from pipeline: ChannelPipeline.SynchronousOperations
    ) {
        guard let handler = try? pipeline.handler(type: type) else { return }
        pipeline.removeHandler(handler, promise: nil)
    }
}
