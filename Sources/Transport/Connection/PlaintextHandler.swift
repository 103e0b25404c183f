import API
import Hummingbird
import NIOCore

/// Answers a client that speaks plain HTTP on a TLS port with an error that it can read; removes itself when the client
/// speaks TLS.
final class PlaintextHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The letters that methods begin with; no type of a TLS record (RFC 8446, section 5.1) is among them.
    private static let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard let first = unwrapInboundIn(data).readableBytesView.first, Self.letters.contains(first) else {
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        isRefused = true
        context.writeAndFlush(wrapOutboundOut(Self.refusal), promise: nil)
        // Further bytes of the client are dropped until it is done, or its time for a handshake is over.
        context.close(mode: .output, promise: nil)
    }

    private static var refusal: ByteBuffer {
        let problem = Problem(
            Failure(.notEncrypted, "this port requires TLS", hint: "Let the address begin with https://."))
        let document = problem.document(trace: RequestID().description).json()
        var answer = ByteBuffer(
            string: """
                HTTP/1.1 \(problem.status.code) \(problem.status.reasonPhrase)\r
                Content-Type: \(Problem.contentType)\r
                Content-Length: \(document.count)\r
                Connection: close\r
                \r

                """)
        answer.writeBytes(document)
        return answer
    }
}
