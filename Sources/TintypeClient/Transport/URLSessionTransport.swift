internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The transport for apps, over `URLSession`. On Linux, requests without TLS go over sockets of its own.
///
/// An app has one for its whole life. Others are ended by `close()`, or are used within `run(_:)`.
///
/// Parts of files of more than 8 MiB are copied to a temporary file while they are sent, unless they are whole files.
/// An answer of more than 64 MiB ends with `TransportError.Cause.tooLarge`. A stream whose reader is 32 MiB behind ends
/// with `TransportError.Cause.interrupted`.
public final class URLSessionTransport: Transport {
    private static let answerLimit = 64 << 20
    private static let unreadLimit = 32 << 20

    private let requests: Requests
    private let streams: Requests
    #if canImport(FoundationNetworking)
        private let connections: ConnectionPool?
    #endif

    /// A session and its exchanges.
    private struct Requests: Sendable {
        let delegate: SessionDelegate
        let session: URLSession

        init(connectionLimit: Int) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.httpCookieAcceptPolicy = .never
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpMaximumConnectionsPerHost = connectionLimit
            delegate = SessionDelegate()
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        func close() {
            delegate.end()
            // On Linux this waits for the session's queue.
            DispatchQueue.global().async { [session] in session.invalidateAndCancel() }
        }
    }

    /// Creates a transport.
    public convenience init() { self.init(usesSockets: true) }

    /// Creates a transport.
    ///
    /// - Parameter usesSockets: Whether requests without TLS go over sockets on Linux. Tests compare the two ways.
    package init(usesSockets: Bool) {
        #if canImport(FoundationNetworking)
            connections = usesSockets ? ConnectionPool() : nil
        #endif
        requests = Requests(connectionLimit: 16)
        // Streams have connections of their own, so that they never keep a request waiting.
        streams = Requests(connectionLimit: 1000)
    }

    /// Creates a transport and closes it when the body has returned.
    public static func run<Result>(
        _ body: (URLSessionTransport) async throws -> Result
    ) async rethrows -> Result {
        let transport = URLSessionTransport()
        defer { transport.close() }
        return try await body(transport)
    }

    /// Ends the transport: all requests under way, and all later ones, throw `CancellationError`.
    public func close() {
        #if canImport(FoundationNetworking)
            connections?.close()
        #endif
        requests.close()
        streams.close()
    }

    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Called with the number of bytes of the body that have been sent so far, on any thread.
    /// - Throws: `TransportError` without a whole answer; `CancellationError` if the task was cancelled.
    public func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        let exchange = Exchange(
            unreadLimit: Self.answerLimit, overflow: TransportError(.tooLarge, "more than \(Self.answerLimit) bytes"),
            bodyCount: request.body.count, progress: progress)
        let body = try await PreparedBody.of(request.body)
        defer { body.discard() }
        try start(request, body, in: requests, exchange)
        let head = try await exchange.waitForHead()
        return TransportResponse(
            status: head.status, headers: head.headers, body: try await exchange.remainingBytes())
    }

    /// Sends a request and returns the answer as soon as its header is there.
    ///
    /// - Throws: `TransportError` without an answer; `CancellationError` if the task was cancelled.
    public func stream(for request: TransportRequest) async throws -> TransportStream {
        let exchange = Exchange(
            unreadLimit: Self.unreadLimit,
            overflow: TransportError(.interrupted, "the reader of the stream is too slow"))
        let body = try await PreparedBody.of(request.body)
        defer { body.discard() }
        try start(request, body, in: streams, exchange)
        let head = try await exchange.waitForHead()
        let reader = StreamReader(exchange)
        return TransportStream(
            status: head.status, headers: head.headers,
            chunks: AsyncThrowingStream { try await reader.nextBytes() })
    }

    private func start(
        _ request: TransportRequest, _ body: PreparedBody, in requests: Requests, _ exchange: Exchange
    ) throws {
        try Task.checkCancellation()
        guard ["http", "https"].contains(request.url.scheme?.lowercased()), request.url.host?.isEmpty == false else {
            throw TransportError(.unreachable, "\(request.url) is not an address over HTTP")
        }
        var request = request
        for (name, value) in request.headers.sorted { request.headers[name] = Self.withoutLineEnds(value) }
        #if canImport(FoundationNetworking)
            if request.url.scheme?.lowercased() == "http", let connections {
                return try connections.start(request, body, exchange)
            }
        #endif
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpShouldHandleCookies = false
        // The exchange watches the time itself, in parts of a second and in both directions.
        message.timeoutInterval = 7 * 24 * 3600
        for (name, value) in request.headers.sorted { message.setValue(value, forHTTPHeaderField: name) }
        let task = try requests.delegate.start(exchange) { [message, session = requests.session] in
            switch body {
            case .none: session.dataTask(with: message)
            case .data(let data): session.uploadTask(with: message, from: data)
            case .file(let file, _): session.uploadTask(with: message, fromFile: file)
            }
        }
        task.resume()
        // On Linux, `cancel` waits for the session's queue, which may wait for a lock of the caller.
        exchange.begin(idleTimeout: request.idleTimeout) { DispatchQueue.global().async { task.cancel() } }
    }

    /// Returns a value with spaces for the characters that would end a header field (RFC 9110 §5.5).
    private static func withoutLineEnds(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.map { ["\r", "\n", "\0"].contains($0) ? " " : $0 }))
    }
}

/// The reader of a stream. The connection is closed when the last reference to it is gone.
private final class StreamReader: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { exchange.fail(CancellationError()) }

    func nextBytes() async throws -> Data? { try await exchange.nextBytes() }
}
