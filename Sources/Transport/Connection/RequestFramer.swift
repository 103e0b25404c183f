import API
import NIOCore

/// Checks the bytes of each request's head before the parser sees them, and finds the end of its body.
///
/// A malformed request is passed on as an error, which ``MessageHandler`` answers; the rest of the connection is not
/// read.
final class RequestFramer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// The head's lines are arriving; those that have arrived are kept.
        case head
        case body(left: Int)
        case chunked(ChunkedFraming)
        /// Reading has stopped.
        case ended
    }

    private var state = State.head
    private var head = ByteBuffer()
    /// The number of bytes of the head's last line that have arrived.
    private var lineByteCount = 0
    private let traffic: Traffic?

    /// - Parameter traffic: Counts the requests and bytes read; nil for no counting.
    init(_ traffic: Traffic? = nil) { self.traffic = traffic }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        traffic?.count(bytes.readableBytes)
        do {
            while bytes.readableBytes > 0 { try read(&bytes, context) }
        } catch {
            end()
            context.fireErrorCaught(error)
        }
    }

    /// Called while a request is passed on, when the connection is taken over.
    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// Stops reading.
    func end() {
        state = .ended
        head = ByteBuffer()
    }

    private func read(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) throws(Failure) {
        switch state {
        case .head: try readHead(&bytes, context)
        case .body(let left):
            let part = bytes.readSlice(length: min(left, bytes.readableBytes)) ?? ByteBuffer()
            state = left == part.readableBytes ? .head : .body(left: left - part.readableBytes)
            context.fireChannelRead(wrapInboundOut(part))
        case .chunked(var framing):
            let part = bytes.readSlice(length: try framing.consume(bytes.readableBytesView)) ?? ByteBuffer()
            state = framing.isAtEnd ? .head : .chunked(framing)
            context.fireChannelRead(wrapInboundOut(part))
        case .ended: bytes.clear()
        }
    }

    private func readHead(_ bytes: inout ByteBuffer, _ context: ChannelHandlerContext) throws(Failure) {
        let end = try headEnd(in: bytes)
        guard var part = bytes.readSlice(length: end ?? bytes.readableBytes) else { return }
        if head.readableBytes == 0 { head = part } else { head.writeBuffer(&part) }
        guard head.readableBytes <= RequestHead.maxBytes else { throw .endlessHead }
        guard end != nil else { return }
        let whole = head
        head = ByteBuffer()
        lineByteCount = 0
        // RFC 9112 §2.2: an empty line before a request line is ignored.
        guard whole.readableBytes > 2 else { return }
        switch try RequestHead(whole.readableBytesView).body {
        case .bytes(0): break
        case .bytes(let count): state = .body(left: count)
        case .chunked: state = .chunked(ChunkedFraming())
        }
        context.fireChannelRead(wrapInboundOut(whole))
    }

    /// Returns the number of bytes up to the end of the head; nil if it is incomplete.
    ///
    /// - Throws: `Failure` when a line is not terminated correctly, which would hide the end from this server or from
    ///   others.
    private func headEnd(in bytes: ByteBuffer) throws(Failure) -> Int? {
        var last = head.readableBytesView.last
        for (index, byte) in bytes.readableBytesView.enumerated() {
            if byte == UInt8(ascii: "\n") {
                guard last == UInt8(ascii: "\r") else { throw .malformed("one of its lines does not end in CR and LF") }
                if lineByteCount == 1 { return index + 1 }
                lineByteCount = 0
            } else {
                lineByteCount += 1
            }
            last = byte
        }
        return nil
    }
}
