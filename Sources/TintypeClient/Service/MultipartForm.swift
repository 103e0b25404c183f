#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A form of texts (`multipart/form-data`, RFC 7578).
struct MultipartForm {
    private(set) var body = Data()
    private let boundary: String

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Creates a form. The names are of ASCII letters and `_`.
    init(_ fields: [(name: String, value: String)]) {
        var boundary = "tintype"
        while fields.contains(where: { $0.value.contains(boundary) }) {
            boundary += String(UInt32.random(in: 0...(.max)), radix: 36)
        }
        self.boundary = boundary
        for (name, value) in fields {
            body += Data(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        body += Data("--\(boundary)--\r\n".utf8)
    }
}
