/// The text of a post: fewer than 2,000 characters, as FriendlyPix's rules have it.
package enum PostText {
    package static let maxCharacters = 1999

    /// The text without white space around it; nil when it is too long or holds control characters other than line
    /// breaks and tabs.
    package static func checked(_ text: String) -> String? {
        let hasControl = text.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control && !"\n\r\t".unicodeScalars.contains(scalar)
        }
        guard !hasControl, text.utf8.count <= 4 * 4 * maxCharacters else { return nil }
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest.count <= maxCharacters ? String(rest) : nil
    }
}
