/// A part of a text that mentions a person.
public struct Mention: Codable, Hashable, Sendable {
    /// The id of the person.
    public var personID: Person.ID
    /// The number of UTF-16 units before the mention.
    public var start: Int
    /// The length, in UTF-16 units.
    public var length: Int

    /// Creates a mention.
    ///
    /// - Parameters:
    ///   - personID: The id of the person.
    ///   - start: The number of UTF-16 units before the mention.
    ///   - length: The length, in UTF-16 units.
    public init(personID: Person.ID, start: Int, length: Int) {
        (self.personID, self.start, self.length) = (personID, start, length)
    }

    /// Creates a mention from a part of a text.
    public init(personID: Person.ID, range: Range<String.Index>, in text: String) {
        let start = text.utf16.distance(from: text.startIndex, to: range.lowerBound)
        let end = text.utf16.distance(from: text.startIndex, to: range.upperBound)
        self.init(personID: personID, start: start, length: end - start)
    }

    /// Returns the part of a text that the mention names; nil if the text is too short, or if the part would begin or end
    /// within a Unicode scalar.
    public func range(in text: String) -> Range<String.Index>? {
        guard start >= 0, length > 0, start <= text.utf16.count, length <= text.utf16.count - start else { return nil }
        let begin = text.utf16.index(text.startIndex, offsetBy: start)
        let end = text.utf16.index(begin, offsetBy: length)
        guard begin.samePosition(in: text.unicodeScalars) != nil, end.samePosition(in: text.unicodeScalars) != nil
        else {
            return nil
        }
        return begin..<end
    }

    private enum CodingKeys: String, CodingKey {
        case personID = "uid"
        case start, length
    }
}
