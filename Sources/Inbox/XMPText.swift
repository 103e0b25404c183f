import Files
import Foundation

/// The reader of the description in an XMP document (ISO 16684-1), `dc:description`, which photo programs write beside
/// a photo.
///
///     <dc:description><rdf:Alt><rdf:li xml:lang="x-default">At the lake</rdf:li></rdf:Alt></dc:description>
///
/// The description may also be an attribute. A malformed document has none, and entities declared in a document are not
/// resolved.
enum XMPText {
    private static let maxBytes = 1 << 20

    /// Reads the description; empty if there is none.
    static func description(in reader: FileReader) throws -> String {
        description(in: Data(try reader.readAll(maxBytes: maxBytes).prefix(maxBytes)))
    }

    static func description(in document: Data) -> String {
        if let element = content(of: "dc:description", in: document[...]) {
            return item(in: element).flatMap(plain) ?? ""
        }
        guard let name = document.range(of: Data(#"dc:description=""#.utf8)) else { return "" }
        let rest = document[name.upperBound...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return "" }
        return plain(rest[..<end]) ?? ""
    }

    /// Returns the alternative for all languages, otherwise the first one, otherwise the element's own text.
    private static func item(in element: Data) -> Data? {
        var (first, rest): (Data?, Data) = (nil, element)
        while let (attributes, content, end) = next("rdf:li", in: rest) {
            if attributes.range(of: Data("x-default".utf8)) != nil { return content }
            first = first ?? content
            rest = rest[end...]
        }
        return first ?? (element.contains(UInt8(ascii: "<")) ? nil : element)
    }

    private static func content(of name: String, in document: Data) -> Data? { next(name, in: document)?.content }

    private static func next(_ name: String, in document: Data) -> (attributes: Data, content: Data, end: Data.Index)? {
        guard let tag = document.range(of: Data("<\(name)".utf8)),
            let open = document[tag.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            document[open - 1] != UInt8(ascii: "/"),
            let close = document[open...].range(of: Data("</\(name)>".utf8))
        else { return nil }
        return (document[tag.upperBound..<open], document[(open + 1)..<close.lowerBound], close.upperBound)
    }

    /// Returns text with its references resolved; nil if it contains markup or unknown references.
    private static func plain(_ bytes: Data) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("<") else { return nil }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";"),
                let character = character(rest[rest.index(after: start)..<end])
            else { return nil }
            result.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return (result + rest).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func character(_ reference: Substring) -> Unicode.Scalar? {
        if reference.hasPrefix("#x") { return UInt32(reference.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init) }
        if reference.hasPrefix("#") { return UInt32(reference.dropFirst()).flatMap(Unicode.Scalar.init) }
        return ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"][reference]
    }
}
