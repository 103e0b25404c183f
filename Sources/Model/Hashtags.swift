import Foundation
package import TreeModel

/// The hashtags of a text, as keys of `hashtags/{tag}`.
package enum Hashtags {
    /// The largest number of hashtags that are indexed for a text: the first ones.
    package static let maxCount = 30

    /// Finds `#word` at each beginning of a word, except in web addresses (``WebAddresses``): letters, digits and `_`
    /// of any script, and inside the name `·`, `・` and the zero-width non-joiner, at most 100 characters, normalised by
    /// ``key(of:)``. Each contains a letter: `#1` is a number. Each is listed once, in the order of the text.
    ///
    /// (Mastodon, app/models/tag.rb, has the same rule; `Fixtures/texts.json` tests `Page/text.js` against it.)
    package static func tags(in text: String) -> [TreeKey] {
        var tags: [TreeKey] = []
        var rest = Words(text)
        while tags.count < maxCount, let (_, tag) = rest.next() {
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// Returns the hashtag of a name without its mark; nil if the name is not exactly one hashtag.
    package static func tag(named name: String) -> TreeKey? {
        tags(in: "#\(name)").first.flatMap { $0.string == key(of: name) ? $0 : nil }
    }

    /// Returns the key of a name: in lower case, `i` for each of the letters that Turkish has for it, and normalised to
    /// NFC (Unicode Standard Annex 15).
    private static func key(of name: some StringProtocol) -> String {
        name.lowercased().replacing("i\u{307}", with: "i").precomposedStringWithCanonicalMapping
    }

    /// Returns the prefix of hashtags that a user types, with or without its mark, in the form of their keys; nil if no
    /// hashtag can begin with it. The empty text is the prefix of all.
    package static func prefix(_ text: String) -> String? {
        let word = text.first.map(marks.contains) == true ? text.dropFirst() : text[...]
        guard word.count <= maxLength, word.allSatisfy({ isWord($0) || separators.contains($0) }) else { return nil }
        return key(of: word)
    }

    /// Returns the ranges of the hashtags that ``tags(in:)`` lists, with their `#`, each as often as it occurs.
    package static func places(in text: String) -> [(range: Range<String.Index>, tag: TreeKey)] {
        let listed = Set(tags(in: text))
        return Array(IteratorSequence(Words(text))).filter { listed.contains($0.tag) }
    }

    /// The hashtags of a text, one after the other.
    private struct Words: IteratorProtocol {
        private var rest: Substring
        private var previous: Character = " "
        private let addresses: [Range<String.Index>]

        init(_ text: String) {
            rest = text[...]
            addresses = text.contains(where: marks.contains) ? WebAddresses.places(in: text) : []
        }

        mutating func next() -> (range: Range<String.Index>, tag: TreeKey)? {
            while true {
                let start = rest.startIndex
                guard let character = rest.popFirst() else { return nil }
                defer { previous = character }
                guard marks.contains(character), !isWord(previous), !"=/)".contains(previous),
                    !addresses.contains(where: { $0.contains(start) })
                else { continue }
                let end = Hashtags.end(of: rest)
                let word = rest[..<end]
                guard word.count <= maxLength, word.contains(where: \.isLetter), let tag = try? TreeKey(key(of: word))
                else {
                    continue
                }
                return (start..<end, tag)
            }
        }
    }

    /// Returns the end of the name at the beginning of a text; separators count only inside the name.
    private static func end(of text: Substring) -> String.Index {
        guard let first = text.first, isWord(first) else { return text.startIndex }
        var word = text.prefix { isWord($0) || separators.contains($0) }
        while let last = word.unicodeScalars.last, separatorScalars.contains(last) { word.unicodeScalars.removeLast() }
        return word.endIndex
    }

    private static let maxLength = 100
    private static let marks: Set<Character> = ["#", "＃"]
    private static let separators: Set<Character> = ["·", "・"]
    /// The separators as scalars: the zero-width non-joiner is a part of the character before it.
    private static let separatorScalars: Set<Unicode.Scalar> = ["·", "・", "\u{200C}"]

    static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
