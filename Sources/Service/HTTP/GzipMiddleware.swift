import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Requests

/// Compresses answers that are text, where the client reads gzip (RFC 9110 §12.5.3).
///
/// Streams, files and others whose length is not known beforehand, parts, and answers that have an entity tag stay as they
/// are.
struct GzipMiddleware: RouterMiddleware {
    /// In bytes. What is smaller fits into one packet anyway.
    private static let smallest = 1 << 10
    /// In bytes. What is larger is not held in memory.
    private static let largest = 1 << 20

    private static let types = [
        "application/json", "application/problem+json", "text/html", "text/css", "text/javascript",
    ]

    func handle(
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

/// What was written of a body. Only the task that has the body written uses it.
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
