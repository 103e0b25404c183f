import Foundation
package import TreeModel

/// The hashtags of a text, as keys of `hashtags/{tag}`.
package enum Hashtags {
    /// At most this many of a text are indexed: the first ones.
    package static let maxCount = 30

    /// Finds `#word` wherever a word begins: letters, digits and `_` of any script, at most 100 characters, lower-cased,
    /// and in one form of Unicode (NFC, Unicode Standard Annex 15).
    /// A tag of digits alone (`#1`) is a number, not a tag. Each is listed once, in the order of the text.
    package static func tags(in text: String) -> [TreeKey] {
        var tags: [TreeKey] = []
        var previous: Character = " "
        var rest = text[...]
        while let character = rest.popFirst() {
            defer { previous = character }
            guard character == "#", !isWord(previous) else { continue }
            let word = rest.prefix(while: isWord)
            let name = word.lowercased().precomposedStringWithCanonicalMapping
            guard word.count <= 100, !word.allSatisfy(\.isNumber), let tag = try? TreeKey(name), !tags.contains(tag)
            else { continue }
            tags.append(tag)
            if tags.count == maxCount { break }
        }
        return tags
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
