public import Foundation
public import TintypeClient
internal import TintypeModel

/// A transport that plays back what `RecordingTransport` has written.
///
/// A request gets the answer to the recorded request with the same method, path and query. If there are several, it gets
/// the first that has not been played, and at last always the last. Any other request is answered with a 404.
public final class ReplayTransport: Transport {
    private let exchanges: Guarded<[String: [RecordedExchange]]>

    /// Reads a recording.
    ///
    /// - Parameter folder: The folder with the files.
    public init(folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var exchanges: [String: [RecordedExchange]] = [:]
        for file in files.filter({ $0.pathExtension == "json" }).sorted(by: { $0.path < $1.path }) {
            let exchange = try JSONDecoder().decode(RecordedExchange.self, from: Data(contentsOf: file))
            exchanges[exchange.key, default: []].append(exchange)
        }
        self.exchanges = Guarded(exchanges)
    }

    /// Returns the recorded answer.
    ///
    /// - Throws: The recorded `TransportError`; `CancellationError` if the task was cancelled.
    public func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        try Task.checkCancellation()
        guard let exchange = next(for: request) else { return try missing(request) }
        if request.body.count > 0 { progress?(request.body.count) }
        if let failure = exchange.failure { throw TransportError(failure.cause, failure.detail) }
        guard let answer = exchange.answer else { return try missing(request) }
        let body = try answer.body.map { try $0.data() } ?? Data()
        return TransportResponse(status: answer.status, headers: answer.headers, body: body)
    }

    /// Returns the recorded stream, which ends as the recorded one ended.
    ///
    /// - Throws: The recorded `TransportError`; `CancellationError` if the task was cancelled.
    public func stream(for request: TransportRequest) async throws -> TransportStream {
        try Task.checkCancellation()
        let exchange = next(for: request)
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        guard let exchange, let answer = exchange.answer else {
            if let failure = exchange?.failure { throw TransportError(failure.cause, failure.detail) }
            let answer = try missing(request)
            continuation.yield(answer.body)
            continuation.finish()
            return TransportStream(status: answer.status, headers: answer.headers, chunks: chunks)
        }
        for chunk in answer.chunks ?? answer.body.map({ [$0] }) ?? [] { continuation.yield(try chunk.data()) }
        continuation.finish(throwing: exchange.failure.map { TransportError($0.cause, $0.detail) })
        return TransportStream(status: answer.status, headers: answer.headers, chunks: chunks)
    }

    private func next(for request: TransportRequest) -> RecordedExchange? {
        let key = RecordedExchange(request).key
        return exchanges.withLock { exchanges in
            guard let first = exchanges[key]?.first else { return nil }
            if let count = exchanges[key]?.count, count > 1 { exchanges[key]?.removeFirst() }
            return first
        }
    }

    private func missing(_ request: TransportRequest) throws -> TransportResponse {
        let key = RecordedExchange(request).key
        return try TransportResponse(Problem(.notFound, status: 404, message: "the recording has no \(key)"))
    }
}
