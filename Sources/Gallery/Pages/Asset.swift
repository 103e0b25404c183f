import Cryptography
import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Server

/// A file of the pages, or a generated one, ready to be sent: uncompressed and compressed, each with an entity tag of
/// its own.
struct Asset: Sendable {
    /// The version of the file for addresses, which changes with its bytes.
    let version: String
    private let contentType: String
    private let plain: Form
    /// The compressed form; nil if it would not be smaller.
    private let compressed: Form?

    private struct Form: Sendable {
        let bytes: ByteBuffer
        let tag: String
    }

    /// - Parameter name: The file name, whose extension determines the content type. Comments and indents of modules
    ///   and style sheets are not sent.
    init(_ name: String, _ bytes: [UInt8]) {
        self.init(Self.sent(name, bytes), contentType: Self.contentType(of: name))
    }

    init(_ bytes: [UInt8], contentType: String) {
        self.contentType = contentType
        let hash = sha256(of: bytes).prefix(24)
        version = String(hash)
        let buffer = ByteBuffer(bytes: bytes)
        plain = Form(bytes: buffer, tag: "\"\(hash)\"")
        // Pictures are compressed already.
        compressed =
            contentType.hasPrefix("image/")
            ? nil : Gzip.compress(buffer).map { Form(bytes: $0, tag: "\"\(hash)-gzip\"") }
    }

    /// Returns the version of the file with the name and bytes.
    static func version(_ name: String, _ bytes: [UInt8]) -> String { String(sha256(of: sent(name, bytes)).prefix(24)) }

    /// Returns the bytes that are sent of a file.
    private static func sent(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        [".js", ".css"].contains { name.hasSuffix($0) } ? SourceText(bytes).compact : bytes
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    /// Returns the response with the file, or `304 Not Modified` if the client has it (RFC 9110 §13.1.2).
    ///
    /// - Parameter isLasting: Whether the address is that of this version, so that clients need not ask again.
    func response(to request: Request, headers: HTTPFields = [:], isLasting: Bool = false) -> Response {
        var headers = headers
        headers[.cacheControl] = isLasting ? "public, max-age=31536000, immutable" : "no-cache"
        headers.vary(by: "Accept-Encoding")
        let form = request.headers.readsGzip ? compressed ?? plain : plain
        headers[.eTag] = form.tag
        guard !request.headers.ifNoneMatch(form.tag) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = contentType
        if form.tag != plain.tag { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: form.bytes))
    }
}
