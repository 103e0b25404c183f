import API
import Foundation
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("A mention is a part of a text, in UTF-16 units and in characters")
struct MentionSpanTests {
    typealias Claim = MentionSpan.Claim

    private static func claim(_ start: Int, _ length: Int, uid: String = "ann") -> Claim {
        Claim(uid: uid, start: start, length: length)
    }

    private func checked(_ claims: [Claim], of text: String) throws -> [MentionSpan] {
        try CommentText(text, mentions: claims).mentions
    }

    /// A text, the part that is mentioned, and its range in characters.
    static let parts: [(text: String, start: Int, length: Int, part: String, characters: Range<Int>)] = [
        ("Hello @Ann", 6, 4, "@Ann", 6..<10),
        ("@Ann", 0, 4, "@Ann", 0..<4),
        // Two units, one character.
        ("😀 @Ann", 3, 4, "@Ann", 2..<6),
        // Eleven units, one character: a family of four.
        ("👨‍👩‍👧‍👦@Ann!", 11, 4, "@Ann", 1..<5),
        // A base and its mark: two units, one character.
        ("e\u{301}@Zoe\u{301}", 2, 5, "@Zoe\u{301}", 1..<5),
        // A flag: four units, one character.
        ("🇨🇭🇩🇪 x", 4, 4, "🇩🇪", 1..<2),
        ("a\r\nb", 3, 1, "b", 2..<3),
        ("日本@安", 2, 2, "@安", 2..<4),
    ]

    @Test("Both ways of counting yield the same part", arguments: parts)
    func sameParts(text: String, start: Int, length: Int, part: String, characters: Range<Int>) throws {
        let span = try #require(try checked([Self.claim(start, length)], of: text).first)
        #expect(span.start == start && span.length == length)
        #expect(span.characterStart..<span.characterStart + span.characterLength == characters)
        let list = Array(text)
        #expect(String(list[characters]) == part)
        let units = Array(text.utf16)[start..<start + length]
        #expect(String(decoding: units, as: UTF16.self) == part)
    }

    /// A text, the claims of a client about it, and the expected error.
    static let wrong: [(text: String, claims: [Claim], words: String)] = [
        ("Hello", [claim(5, 1)], "mentions/0 is outside"), ("Hello", [claim(0, 6)], "mentions/0 is outside"),
        ("Hello", [claim(0, 0)], "mentions/0 is outside"), ("Hello", [claim(-1, 2)], "mentions/0 is outside"),
        ("Hello", [claim(0, -1)], "mentions/0 is outside"),
        ("Hello", [claim(.max, .max)], "mentions/0 is outside"), ("Hello", [claim(1, .max)], "is outside"),
        ("Hello", [claim(.min, .min)], "mentions/0 is outside"),
        ("Hello", [claim(0, 2), claim(1, 2)], "mentions/1 overlaps mentions/0"),
        ("Hello", [claim(3, 2), claim(0, 1), claim(0, 4)], "overlaps"),
        ("Hello", [claim(1, 1), claim(1, 1)], "mentions/1 overlaps mentions/0"),
        ("😀x", [claim(1, 1)], "mentions/0 begins or ends within a character"),
        ("😀x", [claim(0, 1)], "within a character"), ("👨‍👩‍👧‍👦", [claim(0, 2)], "within a character"),
        ("e\u{301}", [claim(0, 1)], "within a character"), ("🇨🇭🇩🇪", [claim(2, 4)], "within a character"),
        ("a\r\nb", [claim(1, 1)], "within a character"),
        ("Hello", [claim(0, 1), claim(1, 1, uid: "a/b")], "mentions/1 names nobody"),
        ("Hello", [claim(0, 1, uid: "")], "mentions/0 names nobody"),
        ("Hello", [Claim(uid: "ann", start: 0, length: 1, characterStart: 1)], "wrong number of characters"),
        ("Hello", [Claim(uid: "ann", start: 0, length: 1, characterLength: 2)], "wrong number of characters"),
        (String(repeating: "x", count: 31), (0..<31).map { claim($0, 1) }, "31 mentions"),
    ]

    @Test("B18: A span that is not part of the text is refused, and named", arguments: wrong)
    func refused(text: String, claims: [Claim], words: String) throws {
        let failure = #expect(throws: Failure.self) { try checked(claims, of: text) }
        #expect(failure?.code == .badMention)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test("Spans are put into the order of the text, and may touch; thirty are not too many")
    func order() throws {
        let spans = try checked([Self.claim(2, 2, uid: "bob"), Self.claim(0, 2)], of: "abcd")
        #expect(spans.map(\.uid.description) == ["ann", "bob"])
        let many = try checked((0..<30).reversed().map { Self.claim($0, 1) }, of: String(repeating: "x", count: 30))
        #expect(many.map(\.start) == Array(0..<30))
    }

    @Test("White space that is not stored is not counted, and cannot be mentioned")
    func whiteSpace() throws {
        let spans = try checked(
            [Claim(uid: "ann", start: 4, length: 4, characterStart: 3, characterLength: 4)], of: "\r\n  @Ann ")
        #expect(spans.map(\.start) == [0] && spans.map(\.characterStart) == [0])
        #expect(throws: Failure.self) { try checked([Self.claim(0, 2)], of: "  @Ann ") }
        #expect(throws: Failure.self) { try checked([Self.claim(2, 5)], of: "  @Ann ") }
    }

    @Test("Stored spans are read back; malformed spans are left out")
    func stored() throws {
        let text = "😀 @Ann @Bob"
        let spans = try checked([Self.claim(3, 4), Self.claim(8, 4, uid: "bob")], of: text)
        let value = try #require(MentionSpan.value(of: spans))
        #expect(value["0"] == ["uid": "ann", "start": 3, "length": 4])
        #expect(MentionSpan.read(value, of: text) == spans)
        #expect(MentionSpan.value(of: []) == nil)
        let junk: TreeValue = [
            "0": "junk", "1": ["uid": "ann"], "2": ["uid": "ann", "start": 1, "length": 1],
            "3": ["uid": "ann", "start": 3, "length": 4], "4": ["uid": "bob", "start": 4, "length": 2],
            "5": ["uid": "a/b", "start": 8, "length": 4], "x": ["uid": "bob", "start": 8, "length": 4],
            "y": ["uid": "bob", "start": 9_000_000_000_000_000_000, "length": 9_000_000_000_000_000_000],
        ]
        #expect(MentionSpan.read(junk, of: text).map(\.start) == [3, 8])
        #expect(MentionSpan.read("junk", of: text).isEmpty)
        #expect(MentionSpan.read(value, of: "short").isEmpty)
        #expect(MentionSpan.read(value, of: String(repeating: text, count: 100_000)).isEmpty)
    }

    /// A text with a mention of `@Anna`, another text, and the place of the mention in it; nil for none.
    static let changes: [(old: String, new: String, start: Int?)] = [
        ("Hi @Anna", "Hi @Anna", 3), ("Hi @Anna", "Hi @Anna!", 3), ("Hi @Anna", "😀 Hi @Anna", 6),
        ("Hi @Anna", "@Anna", 0),
        ("Hi @Anna", "Hi @Ann", nil), ("Hi @Anna", "Hi @Anne", nil), ("Hi @Anna", "Hi Anna", nil),
        ("Hi @Anna", "", nil),
        ("Hi @Anna, hi", "Oh @Anna, oh", nil), ("Hi @Anna, bye", "Hi @Anna, hello", 3), ("a@Anna", "b@Anna", 1),
        ("@Anna", "@Anna@Anna", 0), ("Hi @Anna", "Hi @Anna\u{301}", nil),
    ]

    @Test("A mention stays with the part of a text that does not change", arguments: changes)
    func carried(old: String, new: String, start: Int?) throws {
        let place = try #require(old.range(of: "@Anna")).lowerBound.utf16Offset(in: old)
        let value = MentionSpan.value(of: try checked([Self.claim(place, 5)], of: old))
        let spans = MentionSpan.carried(value, of: old, to: new)
        #expect(spans.map(\.start) == (start.map { [$0] } ?? []))
        #expect(spans.allSatisfy { $0.uid.description == "ann" && $0.length == 5 })
    }

    @Test("B18: Accepted spans are inside the text, apart, and between characters")
    func random() throws {
        var generator = SeededGenerator(seed: 23)
        let pieces = ["a", "é", "e\u{301}", "😀", "👨‍👩‍👧", "🇨🇭", "\r\n", " ", "日", "\u{200D}", "\u{301}"]
        for _ in 0..<2000 {
            let text = "x" + (0..<generator.below(12)).map { _ in generator.pick(pieces) }.joined() + "x"
            let count = text.utf16.count
            let claims = (0...generator.below(3)).map { _ in
                Self.claim(generator.below(count + 2) - 1, generator.below(count + 2) - 1)
            }
            let isRight = claims.allSatisfy { claim in
                claim.start >= 0 && claim.length > 0 && claim.start + claim.length <= count
                    && Self.boundaries(of: text).isSuperset(of: [claim.start, claim.start + claim.length])
            }
            let units = claims.flatMap { $0.length > 0 ? Array($0.start..<$0.start + $0.length) : [] }
            let isApart = Set(units).count == units.count
            let spans = try? checked(claims, of: text)
            #expect((spans != nil) == (isRight && isApart), "\(text.debugDescription) \(claims)")
        }
    }

    /// Returns the numbers of UTF-16 units after which a character begins or the text ends.
    private static func boundaries(of text: String) -> Set<Int> {
        var (ends, sum): (Set<Int>, Int) = ([0], 0)
        for character in text {
            sum += String(character).utf16.count
            ends.insert(sum)
        }
        return ends
    }
}
