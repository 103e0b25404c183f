import Foundation
package import TreeModel

/// The fields of a form as a request's body has them (`application/x-www-form-urlencoded`, URL Standard §5).
package enum IdentityForm {
    /// The longest form that is looked at, in bytes.
    static let maxBytes = 64 << 10
    private static let maxCount = 64

    /// The fields as an object of texts; of a name that occurs twice, the first one counts. nil for what is no such form.
    package static func object(_ form: String) -> JSONValue? {
        parse(form).map { .object($0.mapValues(JSONValue.string)) }
    }

    /// The fields by name; nil for what is no such form.
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

    /// The text of a name or a value; nil for escapes that are none, or not of UTF-8.
    private static func decoded(_ bytes: Substring.UTF8View) -> String? {
        String(decoding: bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            .removingPercentEncoding
    }
}
