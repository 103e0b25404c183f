import Foundation

/// The field `Upload-Metadata` of tus 1.0.0: names and values that the client says of the file.
///
/// Pairs are separated by commas; a name is ASCII without spaces and commas, and behind a space comes its value in Base64, or
/// nothing. No name comes twice. Other clients' habits are let pass: an element that is no such pair says nothing, and Base64
/// may lack its padding.
struct UploadMetadata: Equatable {
    /// Pairs in a field, at most.
    static let maxCount = 64

    /// The values by their names.
    private(set) var texts: [String: String] = [:]
    /// The names whose value is no text in Base64, or that come twice.
    private(set) var unreadable: Set<String> = []

    /// Reads a field; nil when it has too many pairs.
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

    /// The text that a value stands for; nil when it is no UTF-8 in Base64.
    private static func text(_ value: String) -> String? {
        guard value.utf8.count % 4 != 1 else { return nil }
        let padding = String(repeating: "=", count: (4 - value.utf8.count % 4) % 4)
        return Data(base64Encoded: value + padding).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// What the client calls the file: clients use several names for that.
    var fileName: String? { texts["filename"] ?? texts["name"] }
}
