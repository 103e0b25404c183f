import Access
import Client
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Requests
import ServiceLifecycle
import Store
import Synchronization
import TestSupport
import Tree

@testable import Service
@testable import Transport

/// The routes of a service with all their middleware, beside its running pipeline, which answer without a socket: for
/// tests of the answer to a request, not of its transport.
struct RoutedService: AskedService {
    let client: RouteClient
    let tcpClient: RouteClient
    let tree: TreeStore
    let authority: TokenAuthority
}

/// Runs a test's body against the routes of a fresh service.
func withRoutes<R: Sendable>(_ body: @Sendable (RoutedService) async throws -> R) async throws -> R {
    try await withScratch { scratch in try await withRoutes(in: scratch, body) }
}

/// Runs a test's body against the routes of a service in a folder, which another one may have used before.
func withRoutes<R: Sendable>(
    in scratch: Scratch, _ body: @Sendable (RoutedService) async throws -> R
) async throws -> R {
    let parts = try await ServiceParts(in: scratch)
    let responder = parts.server.responder(parts.server.operationsReport)
    let owner = PeerCredentials(userID: getuid(), groupID: getgid(), processID: getpid())
    let service = RoutedService(
        client: RouteClient(responder, from: ClientConnection(.process(owner))),
        tcpClient: RouteClient(
            responder, from: ClientConnection(.network("127.0.0.1"), at: IPAddress("127.0.0.1"))),
        tree: parts.pipeline.storage.tree, authority: parts.authority)
    let group = ServiceGroup(configuration: .init(services: [parts.pipeline], logger: parts.logger))
    let result = try await withServices(group) { try await body(service) }
    await parts.pipeline.storage.close()
    return result
}

/// A client that hands requests to a responder directly, without a connection.
struct RouteClient: AskingClient {
    private let responder: Dispatcher
    private let connection: ClientConnection
    /// Receives interim responses.
    private let channel = NIOAsyncTestingChannel()

    init(_ responder: Dispatcher, from connection: ClientConnection) {
        (self.responder, self.connection) = (responder, connection)
    }

    func answer(
        to method: HTTPRequest.Method, _ path: String, headers: HTTPFields, body: Client.RequestBody
    ) async throws -> TestSupport.Answer {
        var head = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
        var bytes = ByteBuffer()
        switch body {
        case .none: break
        case .bytes(let body): bytes.writeBytes(body)
        case .stream(_, let chunks): try await Self.collect(chunks, in: &bytes)
        }
        if ![.get, .head].contains(method) { head.headerFields[.contentLength] = "\(bytes.readableBytes)" }
        let request = Request(head: head, body: HummingbirdCore.RequestBody(buffer: bytes))
        return try await ClientConnection.$current.withValue(connection) {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let context = Dispatcher.Context(
                source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = try await responder.respond(to: request, context: context)
            let content = Content()
            try await response.body.write(content)
            return TestSupport.Answer(
                status: response.status.code, headers: response.headers,
                body: Array(content.bytes.withLock { $0 }.readableBytesView))
        }
    }

    private static func collect(
        _ chunks: some AsyncSequence<ByteBuffer, any Error>, in bytes: inout ByteBuffer
    ) async throws {
        for try await chunk in chunks { bytes.writeImmutableBuffer(chunk) }
    }

    /// The body of an answer, in bytes.
    private final class Content: ResponseBodyWriter, Sendable {
        let bytes = Mutex(ByteBuffer())

        func write(_ buffer: ByteBuffer) async throws {
            bytes.withLock { bytes in _ = bytes.writeImmutableBuffer(buffer) }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
