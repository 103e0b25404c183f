import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// A stand-in for another machine: an HTTP server on a port of 127.0.0.1 whose answers a test chooses.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let path: String
        package let headers: [String: String]
        package let body: [UInt8]
    }

    package struct Response: Sendable {
        var status: Int
        var headers: [(String, String)]
        var body: [UInt8]
        /// Whether the end is never sent.
        var isUnfinished: Bool
        /// Whether the connection ends instead of the response.
        var isCut: Bool

        package init(
            _ status: Int = 200, _ text: String = "", headers: [(String, String)] = [], isUnfinished: Bool = false,
            isCut: Bool = false
        ) {
            (self.status, self.headers, body) = (status, headers, Array(text.utf8))
            (self.isUnfinished, self.isCut) = (isUnfinished, isCut)
        }
    }

    /// Returns the answer to a request; nil for none.
    package typealias Behaviour = @Sendable (Request) -> Response?

    package let port: Int
    private let channel: any Channel
    private let state: State

    fileprivate final class State: Sendable {
        let behaviour: Mutex<Behaviour>
        let requests = Mutex<[Request]>([])
        let connections = Mutex<[any Channel]>([])

        init(_ behaviour: @escaping Behaviour) { self.behaviour = Mutex(behaviour) }

        func answer(_ request: Request) -> Response? {
            requests.withLock { $0.append(request) }
            return behaviour.withLock(\.self)(request)
        }
    }

    private init(_ channel: any Channel, _ state: State) {
        (self.channel, self.state) = (channel, state)
        port = channel.localAddress?.port ?? 0
    }

    /// Runs a body beside a server, which is stopped afterwards.
    package static func run<R>(
        tls: NIOSSLContext? = nil, behaviour: @escaping Behaviour = { _ in Response(404) },
        _ body: (LoopbackServer) async throws -> R
    ) async throws -> R {
        let state = State(behaviour)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                state.connections.withLock { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answerer(state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = LoopbackServer(channel, state)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// The address of the server, without a path.
    package var origin: String { "http://127.0.0.1:\(port)" }
    /// The requests so far.
    package var requests: [Request] { state.requests.withLock(\.self) }

    /// Changes the answers from now on.
    package func behave(_ behaviour: @escaping Behaviour) { state.behaviour.withLock { $0 = behaviour } }

    /// Stops it: connections are refused from now on.
    package func stop() async {
        try? await channel.close()
        for connection in state.connections.withLock(\.self) { try? await connection.close() }
    }
}

/// The server's side of one connection.
private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: LoopbackServer.State
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ state: LoopbackServer.State) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, [])
        case .body(let bytes): body += Array(bytes.readableBytesView)
        case .end:
            guard let head else { return }
            let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
            let request = LoopbackServer.Request(
                method: head.method.rawValue, path: head.uri, headers: Dictionary(fields) { $1 }, body: body)
            if let response = state.answer(request) { write(response, context) }
        }
    }

    private func write(_ response: LoopbackServer.Response, _ context: ChannelHandlerContext) {
        // Without a length, the last chunk marks the end of the body.
        let framing = ("Transfer-Encoding", "chunked")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status),
            headers: HTTPHeaders(response.headers + [framing]))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        if response.isCut { return context.close(promise: nil) }
        if !response.isUnfinished { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
