import NIOCore
import NIOPosix

/// A connection over which a test says exactly what it likes.
struct RawConnection {
    private typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator

    /// Connects to a Unix socket, runs the body, and closes the connection.
    static func with<R: Sendable>(
        socket path: String, _ body: (inout RawConnection) async throws -> R
    ) async throws -> R {
        try await run(body, on: try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: wrap))
    }

    /// Connects to a port of 127.0.0.1, runs the body, and closes the connection.
    static func with<R: Sendable>(port: Int, _ body: (inout RawConnection) async throws -> R) async throws -> R {
        try await run(body, on: try await bootstrap.connect(host: "127.0.0.1", port: port, channelInitializer: wrap))
    }

    private static var bootstrap: ClientBootstrap { ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton) }

    @Sendable private static func wrap(_ channel: any NIOCore.Channel) -> EventLoopFuture<Channel> {
        channel.eventLoop.makeCompletedFuture { try Channel(wrappingChannelSynchronously: channel) }
    }

    private static func run<R: Sendable>(
        _ body: (inout RawConnection) async throws -> R, on channel: Channel
    ) async throws -> R {
        try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(outbound: outbound, inbound: inbound.makeAsyncIterator())
            return try await body(&connection)
        }
    }

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Reads until the text has come, or the connection ends; all that came.
    mutating func read(until end: String? = nil) async throws -> String {
        var text = ""
        while let buffer = try await inbound.next(isolation: #isolation) {
            text += String(buffer: buffer)
            if let end, text.contains(end) { break }
        }
        return text
    }
}
