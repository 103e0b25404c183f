import API
import HTTPTypes
package import NIOCore
import NIOHTTPTypes

/// The body of a response, in the chunks in which it arrives. It has one reader.
package struct ResponseBody: AsyncSequence {
    package typealias Element = ByteBuffer

    private let parts: ResponseParts

    init(_ parts: ResponseParts) {
        self.parts = parts
    }

    package func makeAsyncIterator() -> Iterator { Iterator(parts: parts) }

    /// Reads the body.
    package struct Iterator: AsyncIteratorProtocol {
        let parts: ResponseParts

        /// Returns the next chunk; nil at the end.
        ///
        /// - Throws: `Failure` when the connection ends before the body does.
        package mutating func next() async throws -> ByteBuffer? { try await parts.chunk() }
    }

    /// Reads the whole body, of at most `maxBytes` bytes.
    ///
    /// - Throws: `NIOTooManyBytesError`, or `Failure` when the connection ends before the body does.
    package func collect(upTo maxBytes: Int) async throws -> ByteBuffer {
        var whole = ByteBuffer()
        for try await chunk in self {
            guard whole.readableBytes + chunk.readableBytes <= maxBytes else {
                throw NIOTooManyBytesError(maxBytes: maxBytes)
            }
            whole.writeImmutableBuffer(chunk)
        }
        return whole
    }
}

/// The parts of a response, which the reader of its body consumes one after another.
final class ResponseParts {
    private var iterator: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
    private var hasEnded = false

    init(_ inbound: NIOAsyncChannelInboundStream<HTTPResponsePart>) {
        iterator = inbound.makeAsyncIterator()
    }

    func head() async throws -> HTTPResponse {
        while let part = try await next() {
            if case .head(let head) = part, head.status.kind != .informational { return head }
        }
        throw Failure.connectionLost
    }

    func chunk() async throws -> ByteBuffer? {
        guard !hasEnded else { return nil }
        switch try await next() {
        case .body(let buffer): return buffer
        case .end:
            hasEnded = true
            return nil
        case .head, nil: throw Failure.connectionLost
        }
    }

    private func next() async throws -> HTTPResponsePart? {
        do {
            let part = try await iterator.next(isolation: #isolation)
            if part == nil { try Task.checkCancellation() }
            return part
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Failure.connectionLost(error)
        }
    }
}
