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
        var rest = Words(text)
        while tags.count < maxCount, let (_, tag) = rest.next() {
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// The beginning of hashtags as somebody types it, with or without its mark, in the form of their keys; nil for what no
    /// hashtag begins with. Nothing is the beginning of all.
    package static func prefix(_ text: String) -> String? {
        let word = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard word.count <= 100, word.allSatisfy(isWord) else { return nil }
        return word.lowercased().precomposedStringWithCanonicalMapping
    }

    /// Where the hashtags of a text stand that ``tags(in:)`` lists, each as often as it is there, with its `#`.
    package static func places(in text: String) -> [(range: Range<String.Index>, tag: TreeKey)] {
        let listed = Set(tags(in: text))
        return Array(IteratorSequence(Words(text))).filter { listed.contains($0.tag) }
    }

    /// The hashtags of a text, one after the other.
    private struct Words: IteratorProtocol {
        private var rest: Substring
        private var previous: Character = " "

        init(_ text: String) { rest = text[...] }

        mutating func next() -> (range: Range<String.Index>, tag: TreeKey)? {
            while true {
                let start = rest.startIndex
                guard let character = rest.popFirst() else { return nil }
                defer { previous = character }
                guard character == "#", !isWord(previous) else { continue }
                let word = rest.prefix(while: isWord)
                let name = word.lowercased().precomposedStringWithCanonicalMapping
                guard word.count <= 100, !word.allSatisfy(\.isNumber), let tag = try? TreeKey(name) else { continue }
                return (start..<word.endIndex, tag)
            }
        }
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
