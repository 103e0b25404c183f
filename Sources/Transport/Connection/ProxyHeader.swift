import NIOCore

/// A proxy's description of its client at the beginning of a connection.
///
/// Format: HAProxy, "The PROXY protocol", versions 1 and 2.
enum ProxyHeader: Hashable {
    /// The client's IP address.
    case client(String)
    /// The proxy opened the connection for itself, as for a health check, or for a client that has no IP address.
    case proxy

    /// The error for bytes that are not a PROXY header.
    struct Malformed: Error {}

    private static let maxTextBytes = 107
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    /// The largest accepted size, in bytes; larger than the addresses need, with room for proxies' additions.
    private static let maxBinaryBytes = 4096

    /// Removes a header from the beginning of a connection; nil while it is incomplete.
    ///
    /// - Throws: ``Malformed``.
    static func read(from bytes: inout ByteBuffer) throws(Malformed) -> ProxyHeader? {
        let view = bytes.readableBytesView
        if view.starts(with: signature.prefix(view.count)) { return try readBinary(from: &bytes) }
        return try readText(from: &bytes)
    }

    /// Reads version 1: `PROXY TCP4 192.0.2.7 198.51.100.1 56324 443` and the end of a line.
    private static func readText(from bytes: inout ByteBuffer) throws(Malformed) -> ProxyHeader? {
        let view = bytes.readableBytesView.prefix(maxTextBytes)
        guard view.starts(with: "PROXY ".utf8.prefix(view.count)) else { throw Malformed() }
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            guard view.count < maxTextBytes else { throw Malformed() }
            return nil
        }
        let line = String(decoding: view[..<end], as: UTF8.self)
        bytes.moveReaderIndex(forwardBy: end - view.startIndex + 1)
        guard line.hasSuffix("\r") else { throw Malformed() }
        let words = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 1 else { throw Malformed() }
        switch words[1] {
        case "UNKNOWN": return .proxy
        case "TCP4", "TCP6":
            guard words.count == 6, let client = try? SocketAddress(ipAddress: String(words[2]), port: 0),
                let address = client.ipAddress
            else { throw Malformed() }
            return .client(address)
        default: throw Malformed()
        }
    }

    /// Reads version 2: a signature, a command, a family, a length and the addresses.
    private static func readBinary(from bytes: inout ByteBuffer) throws(Malformed) -> ProxyHeader? {
        let start = bytes.readerIndex
        guard bytes.readableBytes >= 16, let command: UInt8 = bytes.getInteger(at: start + 12),
            let family: UInt8 = bytes.getInteger(at: start + 13), let length: UInt16 = bytes.getInteger(at: start + 14)
        else { return nil }
        guard command >> 4 == 2, command & 0x0F <= 1, length <= maxBinaryBytes else { throw Malformed() }
        guard bytes.readableBytes >= 16 + Int(length) else { return nil }
        bytes.moveReaderIndex(forwardBy: 16)
        guard let addresses = bytes.readSlice(length: Int(length)) else { throw Malformed() }
        guard command & 0x0F == 1 else { return .proxy }
        let addressLength: Int
        switch family >> 4 {
        case 1: addressLength = 4
        case 2: addressLength = 16
        default: return .proxy
        }
        guard addresses.readableBytes >= 2 * addressLength + 4,
            let packed = addresses.getSlice(at: addresses.readerIndex, length: addressLength),
            let client = try? SocketAddress(packedIPAddress: packed, port: 0), let address = client.ipAddress
        else { throw Malformed() }
        return .client(address)
    }
}

/// Reads the PROXY header of a connection, then removes itself; closes a connection that does not begin with one.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let client: ClientConnection
    private var waiting = ByteBuffer()

    init(of client: ClientConnection) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        waiting.writeBuffer(&bytes)
        do throws(ProxyHeader.Malformed) {
            guard let header = try ProxyHeader.read(from: &waiting) else { return }
            if case .client(let address) = header { client.setProxiedAddress(address) }
        } catch {
            return context.close(promise: nil)
        }
        let rest = waiting
        waiting = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
