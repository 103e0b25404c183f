/// A way to send requests over HTTP. `URLSessionTransport` is the one for apps; tests and previews have others.
///
/// Redirections are answers like others: a token must not follow one to another host. Nothing is cached, and no cookie is
/// kept. Any number of requests may be under way at a time.
public protocol Transport: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Called with the number of bytes of the body that have been sent so far, on any thread.
    /// - Throws: `TransportError` without a whole answer; `CancellationError` if the task was cancelled.
    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse

    /// Sends a request and returns the answer as soon as its header is there.
    ///
    /// The idle timeout counts for the stream as well. A reader that is far behind loses the stream.
    ///
    /// - Throws: `TransportError` without an answer; `CancellationError` if the task was cancelled.
    func stream(for request: TransportRequest) async throws -> TransportStream
}

extension Transport {
    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Throws: `TransportError` without a whole answer; `CancellationError` if the task was cancelled.
    public func response(to request: TransportRequest) async throws -> TransportResponse {
        try await response(to: request, progress: nil)
    }
}
