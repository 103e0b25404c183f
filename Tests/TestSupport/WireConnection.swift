import HTTPTypes
package import NIOCore
import NIOPosix

/// A connection to a Unix socket or a port of 127.0.0.1 that stays open as long as a test needs it, and sends exactly the
/// test's bytes.
///
/// Received bytes are read from the socket at once, and kept until the test reads them, so that the service is never blocked by
/// a test that does not read. For one task.
package final class WireConnection {
    private let channel: any Channel
    private var incoming: AsyncStream<ByteBuffer>.AsyncIterator
    private var buffer = ByteBuffer()

    /// Connects to a Unix socket.
    ///
    /// - Parameter reads: Whether bytes are ever read from the socket.
    package convenience init(socket path: String, reads: Bool = true) async throws {
        try await self.init(to: SocketAddress(unixDomainSocketPath: path), reads: reads)
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameter prepare: Adds the handlers between the socket and the sent bytes.
    package convenience init(
        port: Int, prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in }
    ) async throws {
        try await self.init(to: SocketAddress(ipAddress: "127.0.0.1", port: port), reads: true, prepare: prepare)
    }

    private init(
        to address: SocketAddress, reads: Bool,
        prepare: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in }
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare(channel.pipeline.syncOperations)
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation))
                }
            }
            .connect(to: address).get()
        incoming = stream.makeAsyncIterator()
    }

    /// Connects to a Unix socket, runs a body, and closes the connection.
    package static func with<R>(socket path: String, _ body: (WireConnection) async throws -> R) async throws -> R {
        try await WireConnection(socket: path).closing(after: body)
    }

    /// Connects to a port of 127.0.0.1, runs a body, and closes the connection.
    package static func with<R>(port: Int, _ body: (WireConnection) async throws -> R) async throws -> R {
        try await WireConnection(port: port).closing(after: body)
    }

    private func closing<R>(after body: (WireConnection) async throws -> R) async throws -> R {
        do {
            let result = try await body(self)
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    package func send(_ bytes: some Sequence<UInt8>) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    package func send(_ text: String) async throws { try await send(text.utf8) }

    /// Begins to read from the socket.
    package func beginReading() {
        _ = channel.setOption(.autoRead, value: true)
    }

    /// Stops reading from the socket.
    package func stopReading() {
        _ = channel.setOption(.autoRead, value: false)
    }

    package func close() async { try? await channel.close().get() }

    /// Closes the sending side, and continues to read.
    package func closeOutput() async { try? await channel.close(mode: .output).get() }

    /// Reads up to a mark, and the mark; returns nil when the connection ends before.
    package func read(through mark: String) async -> String? {
        let mark = Array(mark.utf8)
        var searched = 0
        while true {
            let bytes = buffer.readableBytesView
            if let end = Self.end(of: mark, in: bytes.dropFirst(searched)) {
                return buffer.readString(length: end - bytes.startIndex)
            }
            searched = max(0, bytes.count - mark.count)
            guard await readMore() else { return nil }
        }
    }

    /// Reads all received bytes once a mark has arrived, or the connection ends.
    package func read(until mark: String) async -> String {
        let mark = Array(mark.utf8)
        while Self.end(of: mark, in: buffer.readableBytesView[...]) == nil { guard await readMore() else { break } }
        return buffer.readString(length: buffer.readableBytes) ?? ""
    }

    /// Reads until the connection ends.
    package func readToEnd() async -> String {
        while await readMore() {}
        return buffer.readString(length: buffer.readableBytes) ?? ""
    }

    /// Reads this many bytes; returns nil when the connection ends before.
    package func bytes(_ count: Int) async -> [UInt8]? {
        while buffer.readableBytes < count { guard await readMore() else { return nil } }
        return buffer.readBytes(length: count)
    }

    /// Reads an answer; returns nil when the connection ends before its end.
    package func answer() async -> Answer? {
        guard let head = await read(through: "\r\n\r\n") else { return nil }
        let lines = head.split(separator: "\r\n")
        var headers = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
            guard let name = HTTPField.Name(String(parts[0])) else { continue }
            headers.append(HTTPField(name: name, value: parts.count > 1 ? String(parts[1]) : ""))
        }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        let length = [204, 304].contains(status) ? 0 : Int(headers[.contentLength] ?? "") ?? 0
        while buffer.readableBytes < length { guard await readMore() else { return nil } }
        return Answer(status: status, headers: headers, body: buffer.readBytes(length: length) ?? [])
    }

    private func readMore() async -> Bool {
        guard let next = await incoming.next(isolation: #isolation) else { return false }
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(next)
        return true
    }

    private static func end(of mark: [UInt8], in bytes: ByteBufferView) -> Int? {
        guard let last = mark.last else { return nil }
        var rest = bytes
        while let found = rest.firstIndex(of: last) {
            if bytes[...found].suffix(mark.count).elementsEqual(mark) { return found + 1 }
            rest = rest[(found + 1)...]
        }
        return nil
    }
}

/// Passes received bytes on to the reader.
private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
