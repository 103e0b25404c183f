import HTTPTypes
package import NIOCore

/// What a request carries.
package enum RequestBody: Sendable {
    case none
    case bytes([UInt8])
    /// Chunks as they come; with a length in bytes the service can refuse too long a body before the first of them.
    case stream(byteCount: Int?, any AsyncSequence<ByteBuffer, any Error> & Sendable)
}

extension RequestBody {
    /// The headers with those that frame the body.
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

    /// - Throws: `BodyFailure` for what the stream throws, and what `write` throws as it is.
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

/// The request's body could not be had: the caller's trouble, not the connection's.
struct BodyFailure: Error {
    let cause: any Error
}
