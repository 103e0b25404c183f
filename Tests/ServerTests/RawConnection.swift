import NIOCore
import NIOPosix

/// A connection over which a test says exactly what it likes.
struct RawConnection: Sendable {
    private typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let inbound: NIOAsyncChannelInboundStream<ByteBuffer>

    /// Connects to a Unix socket, runs the body, and closes the connection.
    static func with<R: Sendable>(socket path: String, _ body: (RawConnection) async throws -> R) async throws -> R {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture { try Channel(wrappingChannelSynchronously: channel) }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawConnection(outbound: outbound, inbound: inbound))
        }
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Reads until the text has come, or the connection ends; all that came. For one call a connection.
    func read(until end: String? = nil) async throws -> String {
        var text = ""
        for try await buffer in inbound {
            text += String(buffer: buffer)
            if let end, text.contains(end) { break }
        }
        return text
    }
}
