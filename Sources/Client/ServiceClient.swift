import API
package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// A small HTTP/1.1 client (RFC 9112) for the service on this machine. Each request has its own connection, so there is
/// no shutdown.
///
/// Bodies stream in both directions with back-pressure. Cancelling the task closes the connection.
package struct ServiceClient: Sendable {
    /// The address of the service.
    package enum Address: Sendable, Hashable {
        case socket(path: String)
        case tcp(host: String, port: Int)
    }

    private typealias Connection = NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>

    private let address: Address

    package init(_ address: Address) {
        self.address = address
    }

    /// Sends a request, and passes the response to `handle` as soon as its head arrives, even while the body is being
    /// sent.
    ///
    /// - Parameter path: The request's target: a path that begins with `/`, and a query, percent-encoded.
    /// - Throws: `Failure` when no process listens or the connection is lost, and the errors of the body and of `handle`.
    package func send<R: Sendable>(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: RequestBody = .none,
        _ handle: (HTTPResponse, ResponseBody) async throws -> R
    ) async throws -> R {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: authority, path: path,
            headerFields: body.framed(headers, for: method))
        let connection = try await connect()
        return try await connection.executeThenClose { inbound, outbound in
            let parts = ResponseParts(inbound)
            return try await withThrowingTaskGroup { group in
                group.addTask(name: "request body") {
                    do {
                        try await Self.write(head, body, to: outbound)
                    } catch {
                        connection.channel.close(promise: nil)
                        throw error
                    }
                }
                defer { group.cancelAll() }
                let response: HTTPResponse
                do {
                    response = try await parts.head()
                } catch {
                    // The error of the body, such as a file that cannot be read, explains more than the missing
                    // response.
                    try await group.waitForAll()
                    throw error
                }
                return try await handle(response, ResponseBody(parts))
            }
        }
    }

    /// - Throws: The errors of the body's source, but not those of a connection that no longer accepts the body.
    private static func write(
        _ head: HTTPRequest, _ body: RequestBody, to outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>
    ) async throws {
        do {
            try await outbound.write(.head(head))
            try await body.forEachChunk { try await outbound.write(.body($0)) }
            try await outbound.write(.end(nil))
        } catch let error as BodyFailure {
            throw error.cause
        } catch {
            // The service no longer accepts bytes. Its response is on its way, or the reader sees the end of the connection.
        }
    }

    private var authority: String {
        switch address {
        case .socket: "localhost"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    private func connect() async throws -> Connection {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
        do {
            switch address {
            case .socket(let path):
                try SocketPath.check(path)
                return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: Self.setUp)
            case .tcp(let host, let port):
                return try await bootstrap.connect(host: host, port: port, channelInitializer: Self.setUp)
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(error, connectingTo: address)
        }
    }

    @Sendable private static func setUp(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
            try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPClientCodec())
            return try Connection(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: false))
        }
    }
}
