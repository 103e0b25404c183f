import Mustache

/// The templates of the pages (`*.mustache`).
struct PageTemplates: Sendable {
    static let shared = PageTemplates()

    private let templates: MustacheLibrary

    private init() {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        var templates = MustacheLibrary()
        for (file, bytes) in PageFiles.all where file.hasSuffix(".mustache") {
            let text = "{{% CONTENT_TYPE: \(ScalarHTML.name)}}" + String(decoding: bytes, as: UTF8.self)
            // The files are constants: a test renders each of them.
            try? templates.register(text, named: String(file.dropLast(".mustache".count)))
        }
        self.templates = templates
    }

    /// Renders a page from a template; empty if the template does not exist.
    func render(_ name: String, _ values: [String: Any]) -> String {
        templates.render(values, withTemplate: name) ?? ""
    }
}

/// The HTML content type, with escaping scalar by scalar. The library's own escaping goes by characters, and misses a
/// quotation mark that is followed by a combining mark, which ends an attribute in a browser all the same.
struct ScalarHTML: MustacheContentType {
    static let name = "SCALARHTML"

    func escapeText(_ text: String) -> String { Self.escape(text) }

    static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
