/// The web addresses in a text, which begin with http:// or https:// at the beginning of a word.
///
/// `Page/text.js` has the same rules; `Fixtures/texts.json` tests both.
package enum WebAddresses {
    /// The largest number of characters of an address; longer ones do not count.
    private static let maxLength = 2000

    /// Returns the ranges of the addresses in a text, in their order, without the punctuation that ends the sentence.
    package static func places(in text: String) -> [Range<String.Index>] {
        var places: [Range<String.Index>] = []
        var start = text.startIndex
        while let mark = text[start...].firstRange(of: "://") {
            start = mark.upperBound
            let before = text[..<mark.lowerBound]
            guard let scheme = ["https", "http"].first(where: { before.lowercasedSuffix($0.count) == $0 }) else {
                continue
            }
            let first = text.index(mark.lowerBound, offsetBy: -scheme.count)
            guard first == text.startIndex || !Hashtags.isWord(text[text.index(before: first)]) else { continue }
            let rest = text[mark.upperBound...].prefix(maxLength + 1).prefix(while: isPart)
            guard let host = rest.first, host.isLetter || host.isNumber || host == "[", rest.count <= maxLength else {
                continue
            }
            let end = self.end(of: text[first..<rest.endIndex])
            guard end > mark.upperBound else { continue }
            places.append(first..<end)
            start = end
        }
        return places
    }

    private static func isPart(_ character: Character) -> Bool {
        !character.isWhitespace && !"<>\"`{}|\\^「」（）、。，".contains(character)
    }

    /// Returns the end of an address without trailing punctuation, and without a bracket that was opened before it.
    private static func end(of address: Substring) -> String.Index {
        var rest = address
        while let last = rest.last {
            let isOpened =
                switch last {
                case ")": rest.count(where: { $0 == "(" }) >= rest.count(where: { $0 == ")" })
                case "]": rest.count(where: { $0 == "[" }) >= rest.count(where: { $0 == "]" })
                default: !".,;:!?'*_~".contains(last)
                }
            if isOpened { break }
            rest.removeLast()
        }
        return rest.endIndex
    }
}

extension Substring {
    fileprivate func lowercasedSuffix(_ count: Int) -> String { suffix(count).lowercased() }
}
