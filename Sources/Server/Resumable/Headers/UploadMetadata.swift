import Foundation

/// The field `Upload-Metadata` of tus 1.0.0: the client's names and values that describe the file.
///
/// Pairs are separated by commas; a name is ASCII without spaces and commas, optionally followed by a space and its
/// value in Base64. No name may occur twice. The parser is lenient: an element that is not such a pair is ignored, and
/// Base64 may lack its padding.
struct UploadMetadata: Equatable {
    /// The largest number of pairs in a field.
    static let maxCount = 64

    /// The values, by name.
    private(set) var texts: [String: String] = [:]
    /// The names whose value is not a text in Base64, or that occur twice.
    private(set) var unreadable: Set<String> = []

    /// Parses a field; nil if it has too many pairs.
    init?(_ field: String) {
        let pairs = field.split(separator: ",", omittingEmptySubsequences: false)
        guard pairs.count <= Self.maxCount else { return nil }
        for pair in pairs {
            let words = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard let name = words.first.map(String.init), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                continue
            }
            let value = words.count == 1 ? "" : Self.text(words.dropFirst().joined(separator: " "))
            guard let value, texts[name] == nil, !unreadable.contains(name) else {
                texts[name] = nil
                unreadable.insert(name)
                continue
            }
            texts[name] = value
        }
    }

    /// Decodes a value; nil if it is not UTF-8 in Base64.
    private static func text(_ value: String) -> String? {
        guard value.utf8.count % 4 != 1 else { return nil }
        let padding = String(repeating: "=", count: (4 - value.utf8.count % 4) % 4)
        return Data(base64Encoded: value + padding).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The client's name for the file: clients use several keys for it.
    var fileName: String? { texts["filename"] ?? texts["name"] }
}
