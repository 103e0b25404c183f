package import TreeModel

/// That an original was encoded again, or that this is of no use: at `reencoded` of a photo in the record of an upload, as the quality
/// and the SHA-256 of the file of which the present one is made, or a dash.
package struct Reencoding: Sendable, Hashable {
    /// On libjpeg's scale, 1 to 100.
    package let quality: Int
    /// The SHA-256 of the original of which the present one is made; nil where the original stayed, as it would hardly become smaller.
    package let source: String?

    package init(quality: Int, source: String?) { (self.quality, self.source) = (quality, source) }

    package var text: String { "\(quality) \(source ?? "-")" }

    /// Reads the text; nil for what is none.
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
