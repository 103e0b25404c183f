import Foundation
import Model
import TestSupport
import Testing
import TreeModel

@Suite("Hashtags and addresses in a text")
struct HashtagTests {
    /// A text, and its hashtags and addresses; the tests of the page read the same file.
    struct Sample: Codable, Sendable, CustomTestStringConvertible {
        let text: String
        let tags: [String]
        var links: [String]?
        var testDescription: String { text }

        static let all = Result {
            try JSONDecoder().decode([Sample].self, from: Data(Fixture.bytes("texts.json")))
        }
    }

    @Test("A text has the hashtags and addresses that a reader expects")
    func samples() throws {
        for sample in try Sample.all.get() {
            #expect(Hashtags.tags(in: sample.text).map(\.string) == sample.tags, "\(sample.text)")
            #expect(
                WebAddresses.places(in: sample.text).map { String(sample.text[$0]) } == sample.links ?? [],
                "\(sample.text)")
            let places = Hashtags.places(in: sample.text)
            #expect(Set(places.map(\.tag.string)) == Set(sample.tags))
        }
    }

    @Test(
        "A name is a whole hashtag, or it is refused",
        arguments: [
            ("Lake", "lake"), ("\u{C9}t\u{E9}", "\u{E9}t\u{E9}"), ("e\u{301}te\u{301}", "\u{E9}t\u{E9}"),
            ("İstanbul", "istanbul"),
            ("lake sea", nil), ("7", nil), ("", nil), ("a-b", nil), ("a·", nil),
            (String(repeating: "a", count: 101), nil),
        ])
    func names(name: String, expected: String?) {
        #expect(Hashtags.tag(named: name).map { Array($0.string.utf8) } == expected.map { Array($0.utf8) })
    }

    @Test(
        "A text of many marks or addresses is searched quickly",
        arguments: ["#", "#a", "https://", "https://a.b ", "(", "https://a)"])
    func hostile(piece: String) {
        _ = Hashtags.places(in: String(repeating: piece, count: 3000))
        _ = WebAddresses.places(in: String(repeating: piece, count: 3000))
    }
}
