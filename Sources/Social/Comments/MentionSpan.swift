package import API
package import Model
package import Tree

/// A part of a text that mentions a person: `@Anna`.
///
/// Its position is expressed and stored in UTF-16 units, as JavaScript, Java and `NSString` count; and expressed in
/// characters, as Swift and people count (UAX #29, extended grapheme clusters). It starts and ends at boundaries of
/// characters.
package struct MentionSpan: Sendable, Hashable {
    /// The largest number of mentions in a text.
    package static let maxCount = 30

    package let uid: UserID
    /// The number of UTF-16 units before it.
    package let start: Int
    /// The length, in UTF-16 units.
    package let length: Int
    /// The number of characters before it.
    package let characterStart: Int
    /// The length, in characters.
    package let characterLength: Int

    /// A mention as a client sends it.
    package struct Claim: Sendable, Hashable {
        package let uid: String
        /// The number of UTF-16 units before it.
        package var start: Int
        /// The length, in UTF-16 units.
        package let length: Int
        /// The number of characters before it; nil if the client does not send it.
        package let characterStart: Int?
        /// The length, in characters; nil if the client does not send it.
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

// MARK: - Checks

extension MentionSpan {
    /// Checks the mentions of a text, but not whether the people exist.
    ///
    /// - Parameters:
    ///   - claims: The mentions, in any order.
    ///   - text: The text as it was sent.
    ///   - stored: The text as it will be stored, without surrounding white space; the result refers to it.
    /// - Returns: The mentions in the order of the text.
    /// - Throws: `Failure` with the code `bad_mention`, which names the first invalid mention by its index in the list.
    package static func checked(
        _ claims: [Claim], of text: String, storedAs stored: String
    ) throws(Failure) -> [MentionSpan] {
        guard claims.count <= maxCount else {
            throw Failure(
                .badMention, "there are \(claims.count) mentions", hint: "Use at most \(maxCount) in a text.")
        }
        let dropped = text.prefix(while: \.isWhitespace)
        let (units, characters) = (dropped.utf16.count, dropped.count)
        var spans: [(index: Int, span: MentionSpan)] = []
        for (index, claim) in claims.enumerated() {
            // Otherwise the subtraction could overflow.
            guard claim.start >= units else { throw fault(index, "is outside of the text") }
            var moved = claim
            moved.start -= units
            let span = try span(moved, in: stored, number: index)
            let isTrue =
                claim.characterStart.map { $0 == span.characterStart + characters } ?? true
                && claim.characterLength.map { $0 == span.characterLength } ?? true
            guard isTrue else {
                throw fault(index, "has a wrong number of characters", hint: "Leave these out: the service counts.")
            }
            spans.append((index, span))
        }
        spans.sort { ($0.span.start, $0.index) < ($1.span.start, $1.index) }
        for (left, right) in zip(spans, spans.dropFirst()) where left.span.end > right.span.start {
            throw fault(max(left.index, right.index), "overlaps mentions/\(min(left.index, right.index))")
        }
        return spans.map(\.span)
    }

    /// Checks that all mentioned people exist.
    ///
    /// - Throws: `Failure` with the code `bad_mention`, `TreeError` when the store cannot be read.
    package static func requirePeople(_ spans: [MentionSpan], in snapshot: TreeSnapshot) throws {
        for uid in Set(spans.map(\.uid)).sorted(by: { $0.description < $1.description }) {
            guard try snapshot.exists(PeopleNodes.person(uid)) else {
                throw Failure(
                    .badMention, "the person \(uid) does not exist", hint: "Mention people who have a profile.")
            }
        }
    }

    /// Returns the stored mentions of a text that still fit after a change: those in the unchanged beginning, and those
    /// in the unchanged end, at their new places.
    package static func carried(_ value: TreeValue?, of old: String, to new: String) -> [MentionSpan] {
        let spans = read(value, of: old)
        guard !spans.isEmpty else { return [] }
        let (before, after) = (Array(old.utf16), Array(new.utf16))
        let shorter = min(before.count, after.count)
        let head = zip(before, after).prefix { $0 == $1 }.count
        let tail = min(zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count, shorter - head)
        let moved = spans.compactMap { span -> MentionSpan? in
            if span.end <= head { return span }
            guard span.start >= before.count - tail else { return nil }
            let claim = Claim(
                uid: span.uid.description, start: span.start + after.count - before.count, length: span.length)
            return try? self.span(claim, in: new, number: 0)
        }
        // A character may have grown around a mention.
        return read(Self.value(of: moved), of: new)
    }

    private var end: Int { start + length }

    private static func fault(_ index: Int, _ what: String, hint: String? = nil) -> Failure {
        Failure(
            .badMention, "mentions/\(index) \(what)",
            hint: hint ?? "Count start and length in UTF-16 units of the text, without overlaps.")
    }

    private static func span(_ claim: Claim, in text: String, number: Int) throws(Failure) -> MentionSpan {
        guard let uid = UserID(claim.uid) else {
            throw fault(number, "names nobody", hint: "Use a uid of 1 to 128 of A–Z, a–z, 0–9, _ and -.")
        }
        guard let part = Part(start: claim.start, length: claim.length, of: text) else {
            throw fault(number, "is outside of the text")
        }
        guard let characters = part.characters(of: text) else {
            throw fault(number, "begins or ends within a character")
        }
        return MentionSpan(
            uid: uid, start: claim.start, length: claim.length, characterStart: characters.lowerBound,
            characterLength: characters.count)
    }

    /// A part of a text, by its UTF-16 units.
    private struct Part {
        private let range: Range<String.Index>

        /// Finds the part; nil if it extends beyond the text.
        init?(start: Int, length: Int, of text: String) {
            let count = text.utf16.count
            guard start >= 0, start <= count, length >= 1, length <= count - start else { return nil }
            let lower = text.utf16.index(text.startIndex, offsetBy: start)
            range = lower..<text.utf16.index(lower, offsetBy: length)
        }

        /// Returns the range of its characters; nil if it starts or ends within a character.
        func characters(of text: String) -> Range<Int>? {
            guard let lower = range.lowerBound.samePosition(in: text),
                let upper = range.upperBound.samePosition(in: text)
            else { return nil }
            let start = text.distance(from: text.startIndex, to: lower)
            return start..<start + text.distance(from: lower, to: upper)
        }
    }
}

// MARK: - Stored form

extension MentionSpan {
    /// Returns the mentions in their stored form next to a text: `mentions/{n}`, without data that the text contains;
    /// nil for none.
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

    /// Reads stored mentions. Clients of the database also write them: invalid mentions, and those that overlap an
    /// earlier one, are left out.
    package static func read(_ value: TreeValue?, of text: String) -> [MentionSpan] {
        let records = (value?.object ?? [:]).sorted { $0.key < $1.key }.prefix(maxCount)
        // A longer text was never checked, and counting its characters takes long.
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
