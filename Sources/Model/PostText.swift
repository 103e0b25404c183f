/// What people write: the text of a post, and the alternative texts of its photos.
package enum PostText {
    /// Of the text: fewer than 2,000, as FriendlyPix's rules have it.
    package static let maxCharacters = 1999
    /// Of what a photo shows, in words: more than anybody cares to have read out.
    package static let maxAltCharacters = 1000

    /// The text without white space around it, empty when nobody would see anything of it; nil when it is too long or holds
    /// control characters other than line breaks and tabs.
    package static func checked(_ text: String, maxCharacters: Int = maxCharacters) -> String? {
        let hasControl = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control && !"\n\r\t".unicodeScalars.contains(scalar)
        }
        guard !hasControl, text.utf8.count <= 4 * 4 * maxCharacters else { return nil }
        let isVisible = text.unicodeScalars.contains {
            !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        }
        guard isVisible else { return "" }
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest.count <= maxCharacters ? String(rest) : nil
    }
}
