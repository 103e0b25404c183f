import HTTPTypes
import Hummingbird
import NIOCore

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
        _ request: Request, context: RequestContext,
        next: @concurrent (Request, RequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard Self.isCompressible(response) else { return response }
        let vary = [response.headers[.vary], "Accept-Encoding"].compactMap { $0 }
        response.headers[.vary] = vary.joined(separator: ", ")
        guard request.method != .head, Self.readsGzip(request.headers) else { return response }
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

    /// Whether `Accept-Encoding` names gzip, or anything, with a weight that is not zero.
    private static func readsGzip(_ headers: HTTPFields) -> Bool {
        let codings = (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",")
        return codings.contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let name = parts.first, ["gzip", "x-gzip", "*"].contains(name) else { return false }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return weight ?? 1 > 0
        }
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
