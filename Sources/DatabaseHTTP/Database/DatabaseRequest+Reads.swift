import Database
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Tree

extension DatabaseRequest {
    /// Answers a GET.
    func get() async throws -> Response {
        if path.isPriority, !parameters.filters.isEmpty {
            throw DatabasePath.invalid("Read a priority without a query: it has no children.")
        }
        return try await answer(status: .ok, within: parameters.timeout)
    }

    /// Answers with the current value, and this status.
    func answer(status: HTTPResponse.Status, within limit: Duration? = nil) async throws -> Response {
        let read = ReadRequest(
            part, at: path.node, matching: try parameters.query(), wantsETag: wantsETag, knownETag: ifNoneMatch,
            in: frame)
        switch try await session.get(read, within: limit) {
        case .unchanged(let etag):
            return Response(status: .notModified, headers: headers(etag: etag))
        case .text(let text, let token, let etag):
            var headers = headers(etag: etag)
            headers[.tintypeToken] = "\(token)"
            guard !parameters.isSilent || status != .ok else { return Response(status: .noContent, headers: headers) }
            return Response(status: status, headers: headers, body: text.body)
        }
    }

    private var part: ReadRequest.Part {
        if parameters.isSilent, ifMatch == nil { return .nothing }
        if path.isPriority { return .priority }
        if parameters.isCount { return .count }
        if parameters.isShallow { return .keys }
        return .value(parameters.isExport ? .export : .plain)
    }
}

extension SpooledBody.Finished {
    /// The body that sends the text.
    var body: ResponseBody {
        switch self {
        case .memory(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .file(let text): ResponseBody(text.file, 0..<text.byteCount, holding: text)
        }
    }
}
