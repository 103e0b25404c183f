import Foundation

/// The field `Upload-Metadata` of tus 1.0.0: names and values that the client says of the file.
///
/// Pairs are separated by commas; a name is ASCII without spaces and commas, and behind a space comes its value in Base64, or
/// nothing. No name comes twice.
struct UploadMetadata: Equatable {
    /// Pairs in a field, at most.
    static let maxCount = 64

    /// The values by their names; those that are no UTF-8 are left out.
    private(set) var texts: [String: String] = [:]

    /// Reads a field; nil when it is none.
    init?(_ field: String) {
        var names: Set<Substring> = []
        for pair in field.split(separator: ",", omittingEmptySubsequences: false) {
            let words = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard let name = words.first, (1...2).contains(words.count), names.count < Self.maxCount,
                name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), names.insert(name).inserted,
                let value = words.count == 1 ? Data() : Data(base64Encoded: String(words[1]))
            else { return nil }
            texts[String(name)] = String(validating: value, as: UTF8.self)
        }
    }

    /// What the client calls the file: clients use several names for that.
    var fileName: String? { texts["filename"] ?? texts["name"] }
}
