import Files
import HTTPTypes
package import Hummingbird
import NIOCore

/// Compresses text responses if the client accepts gzip (RFC 9110 §12.5.3).
///
/// Streams, files and other responses of unknown length, partial responses, and responses with an entity tag stay as
/// they are.
package struct GzipMiddleware: RouterMiddleware {
    /// The smallest size that is compressed, in bytes. Smaller responses fit into one packet anyway.
    private static let smallest = 1 << 10
    /// The largest size that is compressed, in bytes. Larger responses are not held in memory.
    private static let largest = 1 << 20

    private static let types = [
        "application/json", "application/problem+json", "text/html", "text/css", "text/javascript",
    ]

    package init() {}

    package func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard Self.isCompressible(response) else { return response }
        response.headers.vary(by: "Accept-Encoding")
        guard request.method != .head, request.headers.readsGzip else { return response }
        let collected = CollectedBody()
        try await response.body.write(CollectingWriter(body: collected))
        response.body = ResponseBody(byteBuffer: collected.bytes)
        guard let compressed = Gzip.compress(collected.bytes) else { return response }
        response.headers[.contentEncoding] = "gzip"
        response.body = ResponseBody(byteBuffer: compressed)
        return response
    }

    private static func isCompressible(_ response: Response) -> Bool {
        let type = response.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        return types.contains { $0 == type }
            && (smallest...largest).contains(response.body.contentLength ?? 0)
            && response.headers[.contentEncoding] == nil && response.headers[.eTag] == nil
            && response.status != .partialContent
    }
}

/// The written parts of a body. Used only by the task that has the body written.
private final class CollectedBody {
    var bytes = ByteBuffer()
}

private struct CollectingWriter: ResponseBodyWriter {
    let body: CollectedBody

    mutating func write(_ buffer: ByteBuffer) {
        body.bytes.writeImmutableBuffer(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
