package import API
package import Model
package import Tree

/// A part of a text that stands for a person: `@Anna`.
///
/// It is told in UTF-16 units, as JavaScript, Java and `NSString` count, and stored so; and in characters, as Swift counts
/// and people do (UAX #29, extended grapheme clusters). It begins and ends between two characters.
package struct MentionSpan: Sendable, Hashable {
    /// The most mentions of one text.
    package static let maxCount = 30

    package let uid: UserID
    /// The UTF-16 units before it.
    package let start: Int
    /// UTF-16 units.
    package let length: Int
    /// The characters before it.
    package let characterStart: Int
    /// Characters.
    package let characterLength: Int

    /// What a client says that a mention is.
    package struct Claim: Sendable, Hashable {
        package let uid: String
        /// UTF-16 units.
        package var start: Int
        /// UTF-16 units.
        package let length: Int
        /// Characters; nil when the client does not say.
        package let characterStart: Int?
        /// Characters; nil when the client does not say.
        package let characterLength: Int?

        package init(
            uid: String, start: Int, length: Int, characterStart: Int? = nil, characterLength: Int? = nil
        ) {
            self.uid = uid
            self.start = start
            self.length = length
            self.characterStart = characterStart
            self.characterLength = characterLength
        }
    }
}

// MARK: - Checking

extension MentionSpan {
    /// Checks the mentions of a text, but not whether the people exist.
    ///
    /// - Parameters:
    ///   - claims: In any order.
    ///   - text: The text as it was sent.
    ///   - stored: The same without the white space around it, as it is to be stored; what is returned is about it.
    /// - Returns: The mentions in the order of the text.
    /// - Throws: `Failure` with the code `bad_mention`, which names the first that is none by its place in the list.
    package static func checked(
        _ claims: [Claim], of text: String, storedAs stored: String
    ) throws(Failure) -> [MentionSpan] {
        guard claims.count <= maxCount else {
            throw Failure(
                .badMention, "there are \(claims.count) mentions", hint: "a text may have \(maxCount) at most")
        }
        let dropped = text.prefix(while: \.isWhitespace)
        let (units, characters) = (dropped.utf16.count, dropped.count)
        var spans: [(index: Int, span: MentionSpan)] = []
        for (index, claim) in claims.enumerated() {
            // Else subtracting could overflow.
            guard claim.start >= units else { throw fault(index, "lies outside of the text") }
            var moved = claim
            moved.start -= units
            let span = try span(moved, in: stored, number: index)
            let isTrue =
                claim.characterStart.map { $0 == span.characterStart + characters } ?? true
                && claim.characterLength.map { $0 == span.characterLength } ?? true
            guard isTrue else {
                throw fault(index, "has a wrong number of characters", hint: "leave these out: the service counts")
            }
            spans.append((index, span))
        }
        spans.sort { ($0.span.start, $0.index) < ($1.span.start, $1.index) }
        for (left, right) in zip(spans, spans.dropFirst()) where left.span.end > right.span.start {
            throw fault(max(left.index, right.index), "overlaps mentions/\(min(left.index, right.index))")
        }
        return spans.map(\.span)
    }

    /// Sees to it that all who are mentioned exist.
    ///
    /// - Throws: `Failure` with the code `bad_mention`, `TreeError` when the store cannot be read.
    package static func requirePeople(_ spans: [MentionSpan], in snapshot: TreeSnapshot) throws {
        for uid in Set(spans.map(\.uid)).sorted(by: { $0.description < $1.description }) {
            guard try snapshot.exists(PeopleNodes.person(uid)) else {
                throw Failure(.badMention, "there is no person \(uid) to mention", hint: "mention who has a profile")
            }
        }
    }

    private var end: Int { start + length }

    private static func fault(_ index: Int, _ what: String, hint: String? = nil) -> Failure {
        Failure(
            .badMention, "mentions/\(index) \(what)",
            hint: hint ?? "start and length count UTF-16 units of the text; mentions do not overlap")
    }

    private static func span(_ claim: Claim, in text: String, number: Int) throws(Failure) -> MentionSpan {
        guard let uid = UserID(claim.uid) else {
            throw fault(number, "names nobody", hint: "uid has 1 to 128 of A–Z, a–z, 0–9, _ and -")
        }
        guard let part = Part(start: claim.start, length: claim.length, of: text) else {
            throw fault(number, "lies outside of the text")
        }
        guard let characters = part.characters(of: text) else {
            throw fault(number, "begins or ends within a character")
        }
        return MentionSpan(
            uid: uid, start: claim.start, length: claim.length, characterStart: characters.lowerBound,
            characterLength: characters.count)
    }

    /// A part of a text, found by its UTF-16 units.
    private struct Part {
        private let range: Range<String.Index>

        /// Finds the part; nil when the text ends before it does.
        init?(start: Int, length: Int, of text: String) {
            let count = text.utf16.count
            guard start >= 0, start <= count, length >= 1, length <= count - start else { return nil }
            let lower = text.utf16.index(text.startIndex, offsetBy: start)
            range = lower..<text.utf16.index(lower, offsetBy: length)
        }

        /// The numbers of its characters; nil when it begins or ends within one.
        func characters(of text: String) -> Range<Int>? {
            guard let lower = range.lowerBound.samePosition(in: text),
                let upper = range.upperBound.samePosition(in: text)
            else { return nil }
            let start = text.distance(from: text.startIndex, to: lower)
            return start..<start + text.distance(from: lower, to: upper)
        }
    }
}

// MARK: - In the tree

extension MentionSpan {
    /// The mentions as they stand beside a text: `mentions/{n}`, without what the text tells; nil for none.
    package static func value(of spans: [MentionSpan]) -> TreeValue? {
        guard !spans.isEmpty else { return nil }
        var fields: [TreeKey: TreeValue] = [:]
        for (number, span) in spans.enumerated() {
            fields[TreeKey(unchecked: "\(number)")] = [
                "uid": .string(span.uid.description), "start": .integer(Int64(span.start)),
                "length": .integer(Int64(span.length)),
            ]
        }
        return .object(fields)
    }

    /// Reads mentions back. Clients of the database write there, too: what cannot be one is left out, and what overlaps
    /// one before it.
    package static func read(_ value: TreeValue?, of text: String) -> [MentionSpan] {
        let records = (value?.object ?? [:]).sorted { $0.key < $1.key }.prefix(maxCount)
        // A longer one is no text that was ever checked; counting its characters takes long.
        guard !records.isEmpty, text.utf8.count <= 16 * PostText.maxCharacters else { return [] }
        var spans = records.compactMap { _, record -> MentionSpan? in
            guard let uid = record["uid"]?.stringValue, let start = record["start"]?.integerValue,
                let length = record["length"]?.integerValue
            else { return nil }
            let claim = Claim(uid: uid, start: Int(clamping: start), length: Int(clamping: length))
            return try? span(claim, in: text, number: 0)
        }
        spans.sort { $0.start < $1.start }
        var end = 0
        return spans.filter { span in
            defer { end = max(end, span.end) }
            return span.start >= end
        }
    }
}
