/// The texts of users: the text of a post, and the alternative texts of its photos.
package enum PostText {
    /// The largest number of characters of a post's text: fewer than 2,000, as in FriendlyPix's rules.
    package static let maxCharacters = 1999
    /// The largest number of characters of an alternative text; a longer one would take too long to be read aloud.
    package static let maxAltCharacters = 1000

    /// Returns the text without surrounding white space, empty if it has no visible character; nil if it is too long or
    /// contains control characters other than line breaks and tabs.
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
