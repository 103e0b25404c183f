import API
import Hummingbird
import NIOCore

/// Tells a client that speaks plain HTTP where TLS is spoken what is wrong, in words that it understands; goes when the
/// client speaks anything else.
final class PlaintextHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What methods begin with; no type of a TLS record (RFC 8446, section 5.1) is among it.
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
        // What the client is still sending is dropped until it is done, or its time for a handshake is over.
        context.close(mode: .output, promise: nil)
    }

    private static var refusal: ByteBuffer {
        let problem = Problem(
            Failure(.notEncrypted, "TLS is spoken at this port", hint: "let the address begin with https://"))
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
