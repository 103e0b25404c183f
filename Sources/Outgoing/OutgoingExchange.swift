import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A response of another machine. The body is empty unless the status is 200 and the client reads bodies.
struct OutgoingResponse: Sendable {
    let status: HTTPResponseStatus
    let headers: HTTPHeaders
    var bytes: [UInt8] = []
}

/// A request and its response, over a connection of their own.
struct OutgoingExchange: Sendable {
    let target: OutgoingTarget
    /// The trusted certificates; nil without TLS.
    let tls: NIOSSLContext?
    /// The largest size of a body, in bytes. With 0, no body is read.
    let maxBytes: Int

    private static let connectTime: TimeAmount = .seconds(10)

    /// Sends a request, and returns the response.
    ///
    /// A cancelled task gets its error at once; the connection is then closed, also one that is established later.
    ///
    /// - Throws: `NIOTooManyBytesError` for a longer body; the errors of the connection and of TLS.
    func response(to head: HTTPRequestHead, body: [UInt8]) async throws -> OutgoingResponse {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let response = loop.makePromise(of: OutgoingResponse.self)
        let connection = ClientBootstrap(group: loop).connectTimeout(Self.connectTime)
            .connect(host: target.host, port: target.port)
        connection.flatMap { channel in
            channel.eventLoop.submit {
                try setUp(channel.pipeline.syncOperations, response)
                channel.write(HTTPClientRequestPart.head(head), promise: nil)
                channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
                channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            }
        }.cascadeFailure(to: response)
        response.futureResult.whenComplete { _ in connection.whenSuccess { $0.close(promise: nil) } }
        return try await withTaskCancellationHandler {
            try await response.futureResult.get()
        } onCancel: {
            response.fail(CancellationError())
        }
    }

    private func setUp(
        _ pipeline: ChannelPipeline.SynchronousOperations, _ response: EventLoopPromise<OutgoingResponse>
    ) throws {
        if let tls {
            // A certificate for an IP address is compared with the address of the connection.
            let isAddress = (try? SocketAddress(ipAddress: target.host, port: 0)) != nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : target.host))
        }
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandler(ResponseReader(maxBytes: maxBytes, response: response))
    }
}

/// Reads one response. It is complete at its end; any error, and the end of the connection before, fails it.
private final class ResponseReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let maxBytes: Int
    private let promise: EventLoopPromise<OutgoingResponse>
    private var response: OutgoingResponse?

    init(maxBytes: Int, response: EventLoopPromise<OutgoingResponse>) {
        self.maxBytes = maxBytes
        promise = response
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let found = OutgoingResponse(status: head.status, headers: head.headers)
            response = found
            if maxBytes == 0 || head.status != .ok { promise.succeed(found) }
        case .body(let part):
            guard let bytes = response?.bytes.count, bytes + part.readableBytes <= maxBytes else {
                return promise.fail(NIOTooManyBytesError(maxBytes: maxBytes))
            }
            response?.bytes.append(contentsOf: part.readableBytesView)
        case .end: if let response { promise.succeed(response) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.inputClosed)
        context.fireChannelInactive()
    }
}
