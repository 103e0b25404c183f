import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of the server: Hummingbird's HTTP/1.1, with what is stricter around its parser.
struct HTTPConnection: ServerChildChannel {
    let http: HTTP1Channel
    let bodyPatience: TimeAmount

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
}
