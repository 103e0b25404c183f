package import TreeModel

/// The record that an original was encoded again, or that encoding it would not reduce its size. It is stored at
/// `reencoded` of a photo in the record of an upload, as the quality and the SHA-256 of the file from which the current
/// one was encoded, or a dash.
package struct Reencoding: Sendable, Hashable {
    /// The quality on libjpeg's scale, 1 to 100.
    package let quality: Int
    /// The SHA-256 of the original from which the current one was encoded; nil if the original was kept because it
    /// would hardly become smaller.
    package let source: String?

    package init(quality: Int, source: String?) { (self.quality, self.source) = (quality, source) }

    package var text: String { "\(quality) \(source ?? "-")" }

    /// Reads the text; nil if it is malformed.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let quality = Int(words[0]) else { return nil }
        self.init(quality: quality, source: words[1] == "-" ? nil : String(words[1]))
    }
}

extension Reencoding: FieldValue {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(text)
    }

    package var value: TreeValue { .string(text) }
}
