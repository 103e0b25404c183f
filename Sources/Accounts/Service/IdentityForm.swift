import Foundation
package import TreeModel

/// Parses the fields of a form body (`application/x-www-form-urlencoded`, URL Standard §5).
package enum IdentityForm {
    /// The longest form that is parsed, in bytes.
    static let maxBytes = 64 << 10
    private static let maxCount = 64

    /// Returns the fields as an object of texts; the first of duplicate fields counts. nil for a malformed form.
    package static func object(_ form: String) -> JSONValue? {
        parse(form).map { .object($0.mapValues(JSONValue.string)) }
    }

    /// Returns the fields by name; nil for a malformed form.
    static func parse(_ form: String) -> [String: String]? {
        guard form.utf8.count <= maxBytes else { return nil }
        var fields: [String: String] = [:]
        for item in form.utf8.split(separator: UInt8(ascii: "&"), maxSplits: maxCount) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap(decoded), let value = decoded(parts.dropFirst().first ?? ""[...].utf8)
            else { return nil }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    /// Decodes the text of a name or a value; nil for malformed escapes or UTF-8.
    private static func decoded(_ bytes: Substring.UTF8View) -> String? {
        String(decoding: bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            .removingPercentEncoding
    }
}
