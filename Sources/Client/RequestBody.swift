import HTTPTypes
package import NIOCore

/// The body of a request.
package enum RequestBody: Sendable {
    case none
    case bytes([UInt8])
    /// A stream of chunks. If its length in bytes is known, the service can reject a body that is too long before the
    /// first chunk.
    case stream(byteCount: Int?, any AsyncSequence<ByteBuffer, any Error> & Sendable)
}

extension RequestBody {
    /// Returns the header fields of a request, with those that frame the body.
    func framed(_ headers: HTTPFields, for method: HTTPRequest.Method) -> HTTPFields {
        var headers = headers
        switch self {
        case .none: if method != .get, method != .head { headers[.contentLength] = "0" }
        case .bytes(let bytes): headers[.contentLength] = String(bytes.count)
        case .stream(let byteCount?, _): headers[.contentLength] = String(byteCount)
        case .stream(nil, _): headers[.transferEncoding] = "chunked"
        }
        return headers
    }

    /// Passes each chunk of the body to `write`.
    ///
    /// - Throws: `BodyFailure` around errors of the stream, and the errors of `write` unchanged.
    func forEachChunk(_ write: (ByteBuffer) async throws -> Void) async throws {
        switch self {
        case .none: return
        case .bytes(let bytes): try await write(ByteBuffer(bytes: bytes))
        case .stream(_, let chunks): try await Self.forEachChunk(of: chunks, write)
        }
    }

    private static func forEachChunk(
        of chunks: some AsyncSequence<ByteBuffer, any Error>, _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        var iterator = chunks.makeAsyncIterator()
        while true {
            let chunk: ByteBuffer?
            do {
                chunk = try await iterator.next(isolation: #isolation)
            } catch {
                throw BodyFailure(cause: error)
            }
            guard let chunk else { return }
            try await write(chunk)
        }
    }
}

/// An error of the source of a request's body, as opposed to an error of the connection.
struct BodyFailure: Error {
    let cause: any Error
}
