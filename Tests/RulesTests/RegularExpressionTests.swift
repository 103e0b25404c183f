import TestSupport
import Testing

@testable import Rules

@Suite struct RegularExpressionTests {
    static let found: [(pattern: String, yes: [String], no: [String])] = [
        ("a", ["a", "bab"], ["", "b", "A"]), ("^a", ["ab"], ["ba"]), ("a$", ["ba"], ["ab", "a\n"]),
        ("^a$", ["a"], ["aa", ""]),
        ("^", [""], []), ("$", ["", "x"], []), ("^$", [""], ["a"]), ("a|b", ["xb"], ["xc"]),
        ("^a|b$", ["ax", "xb"], ["xax"]),
        ("^(a|b)$", ["a", "b"], ["ab"]), ("ab*c", ["ac", "abbc"], ["abb"]), ("ab+c", ["abc"], ["ac"]),
        ("^ab?$", ["a", "ab"], ["abb"]),
        ("^a{2}$", ["aa"], ["a", "aaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,2}$", ["a", "aa"], ["", "aaa"]),
        ("^a{0}$", [""], ["a"]), ("^(ab){2}$", ["abab"], ["ab"]), ("^(a*)*$", ["", "aaa"], ["ab"]),
        ("^(a|ab)(c|bcd)$", ["abcd", "ac"], ["abd"]),
        (".", ["a", "😀", "é"], ["", "\n", "\r", "\u{2028}"]), ("^.$", ["😀"], ["e\u{301}"]), ("[abc]", ["xb"], ["x"]),
        ("[a-c]", ["b"], ["d", "-"]),
        ("[^a-c]", ["d"], ["abc", ""]), ("[a-]", ["-"], ["b"]), ("[-a]", ["-"], ["b"]), ("[a^]", ["^"], ["b"]),
        ("[.]", ["."], ["a"]),
        ("[\\]]", ["]"], ["\\"]), ("[\\w-]", ["-", "_"], ["."]), ("[\\d]", ["5"], ["a"]), ("[^\\s]", ["a"], [" \t"]),
        ("[é-ü]", ["ö"], ["z"]),
        ("\\d", ["7"], ["a", "٣"]), ("\\D", ["a"], ["7"]), ("\\w", ["_"], ["-", "é"]), ("\\W", ["é"], ["a_0"]),
        ("\\s", ["\t"], ["a"]),
        ("\\S", ["a"], [" \n"]), ("\\.", ["."], ["a"]), ("\\/", ["/"], ["\\"]), ("\\\\", ["\\"], ["/"]),
        ("\\n", ["\n"], ["n"]), ("\\$", ["$"], ["a"]),
        // Operators are literal at the start of an expression or of a group.
        ("*a", ["*a"], ["a"]), ("+", ["+"], ["a"]), ("?+", ["??"], ["a"]), ("|a", ["|a"], ["a"]), (")", [")"], ["("]),
        ("{2}", ["{2}"], ["2"]),
        ("}", ["}"], ["{"]), ("a}", ["a}"], ["a"]), ("(?a)", ["?a"], ["a"]), ("(*)", ["*"], ["a"]),
        ("(|a)", ["|a"], ["a"]), ("a]", ["a]"], ["a"]),
        ("(?:a)", ["?:a"], ["a"]), ("^\\w+@[a-z]+\\.(com|org)$", ["anna@mail.org"], ["anna@mail.net", "@mail.org"]),
    ]

    @Test("an expression matches in the expected texts, and in no others", arguments: found)
    func find(pattern: String, yes: [String], no: [String]) throws {
        let expression = try RegularExpression(pattern, dialect: .database)
        for (texts, isFound) in [(yes, true), (no, false)] {
            for text in texts {
                var budget = 1_000_000
                #expect(expression.matches(text, budget: &budget) == isFound, "\(text)")
                #expect(try NaiveMatcher(pattern).finds(text) == isFound, "\(text)")
            }
        }
    }

    static let caseless: [(pattern: String, yes: [String], no: [String])] = [
        ("abC", ["ABc"], ["ab"]), ("[a-c]", ["B"], ["D"]), ("[^a-c]", ["d"], ["B"]), ("ä", ["Ä"], ["a"]),
        ("Σ", ["σ"], ["s"]), ("k", ["K"], ["\u{212A}"]),
        ("\\d", ["1"], ["a"]), ("ß", ["ß"], ["ss"]),
    ]

    @Test("case is ignored with the flag i", arguments: caseless)
    func findCaseless(pattern: String, yes: [String], no: [String]) throws {
        let expression = try RegularExpression(pattern, isCaseInsensitive: true, dialect: .database)
        for (texts, isFound) in [(yes, true), (no, false)] {
            for text in texts {
                var budget = 1_000_000
                #expect(expression.matches(text, budget: &budget) == isFound, "\(text)")
            }
        }
    }

    @Test("storage rules match the whole text")
    func whole() throws {
        for (pattern, text, isMatch) in [
            ("image/.*", "image/jpeg", true), ("image/.*", "ximage/jpeg", false), ("image/.*", "image/", true),
            ("a", "ab", false), ("^a$", "a", true),
            ("a|ab", "ab", true), ("(?:a|b)+", "abba", true), ("a*?b", "aab", true), ("", "", true), ("", "a", false),
            ("a|", "", true),
        ] {
            let expression = try RegularExpression(pattern, dialect: .storage)
            var budget = 1_000_000
            #expect(expression.matches(text, budget: &budget) == isMatch, "\(pattern) \(text)")
        }
    }

    static let refused: [(pattern: String, message: String, offset: Int)] = [
        ("", "it is empty", 0), ("a||b", "an empty alternative", 2), ("a|", "an empty alternative", 2),
        ("()", "an empty alternative", 1),
        ("(a", "a group has no end", 0), ("a)", "an unmatched ')'", 1), ("a^", "'^' stands only at the start", 1),
        ("(^a)", "'^' stands only at the start", 1),
        ("a$b", "'$' stands only at the end", 1), ("(a$)", "'$' stands only at the end", 2),
        ("a**", "nothing to repeat before '*'", 2),
        ("a+?", "nothing to repeat before '?'", 2), ("a|*b", "nothing to repeat before '*'", 2),
        ("^*", "nothing to repeat before '*'", 1),
        ("a{", "'{' without a number of times", 1), ("a{x}", "'{' without a number of times", 1),
        ("a{2,1}", "'{' without a number of times", 1),
        ("a{,2}", "'{' without a number of times", 1), ("a{1001}", "a repetition of more than 1000 times", 1),
        ("a{99999999999999999999}", "a repetition of more than 1000 times", 1),
        ("[", "a class of characters has no end", 0),
        ("[a", "a class of characters has no end", 0), ("[]", "an empty class of characters", 0),
        ("[^]", "an empty class of characters", 0),
        ("[b-a]", "a range of characters that has none", 1), ("[a-\\d]", "a range of characters that has none", 1),
        ("é\\b", "an unknown escape '\\b'", 2),
        ("\\1", "an unknown escape '\\1'", 0), ("a\\", "nothing after the last '\\'", 1),
        ("(a{1000}){1000}", "it is too large", 0),
        ("((((a{0}){1000}){1000}){1000}){1000}", "it is too large", 0),
        (String(repeating: "(", count: 100) + "a", "more than 50 groups in each other", 50),
    ]

    @Test("an expression that is invalid, or cannot be matched in linear time, is refused", arguments: refused)
    func refuse(pattern: String, message: String, offset: Int) {
        do {
            _ = try RegularExpression(pattern, dialect: .database)
            Issue.record("\(pattern) was taken")
        } catch {
            #expect(error == RegularExpressionError(message: message, offset: offset))
        }
    }

    @Test("an expression may have a limited number of different characters")
    func manyCharacters() {
        let pattern = String(
            String.UnicodeScalarView((0x4E00..<0x4E00 + 600).filter { $0 % 2 == 0 }.compactMap(Unicode.Scalar.init)))
        #expect(throws: RegularExpressionError.self) { try RegularExpression(pattern, dialect: .database) }
    }

    @Test(
        "time grows with the text, not with the number of possible matches",
        arguments: ["^(a+)+$", "^(a|a)*b$", "(a*)*c", "^(a?){20}a{20}$", "(a|b)*a(a|b){12}$"])
    func linear(pattern: String) throws {
        let expression = try RegularExpression(pattern, dialect: .database)
        var budget = 200_000_000
        #expect(expression.matches(String(repeating: "a", count: 2000) + "!", budget: &budget) != nil)
        var small = 100
        #expect(expression.matches(String(repeating: "a", count: 100_000), budget: &small) == nil)
    }

    @Test("random expressions agree with a matcher that tries everything")
    func property() throws {
        let run = RandomRun(rounds: 4000)
        var random = SeededGenerator(seed: run.seed)
        var (taken, matched) = (0, 0)
        for round in 0..<run.rounds {
            let pieces = [
                "a", "b", "ab", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{1,2}", "{2}", "{0,}", "é", "\\w",
                "\\d", "\\S", "[a-é]", "c",
            ]
            var pattern = (0...random.below(9)).map { _ in random.pick(pieces) }.joined()
            if random.chance(20) { pattern = "^" + pattern }
            if random.chance(20) { pattern += "$" }
            let isCaseInsensitive = random.chance(20)
            let dialect: RegularExpression.Dialect = random.chance(80) ? .database : .storage
            guard
                let expression = try? RegularExpression(pattern, isCaseInsensitive: isCaseInsensitive, dialect: dialect)
            else { continue }
            taken += 1
            let naive = try NaiveMatcher(pattern, isCaseInsensitive: isCaseInsensitive, dialect: dialect)
            for _ in 0..<4 {
                let text = (0..<random.below(9)).map { _ in
                    random.pick(["a", "b", "c", "A", "é", "É", "1", " ", "\n", "|", ")"])
                }.joined()
                let expected = dialect == .database ? naive.finds(text) : naive.matches(text)
                var budget = 1_000_000
                let found = expression.matches(text, budget: &budget)
                matched += expected ? 1 : 0
                #expect(found == expected, "TINTYPE_SEED=\(run.seed), round \(round): /\(pattern)/ on \(text)")
                // The parser omits the table that small expressions have.
                var parser = RegularExpressionParser(
                    pattern, isCaseInsensitive: isCaseInsensitive, dialect: dialect)
                let automaton = try Automaton(try parser.parse(), isWhole: dialect == .storage)
                let utf8 = Array(text.utf8)
                #expect(automaton.matches(utf8.span, budget: &budget) == expected, "/\(pattern)/ on \(text)")
            }
        }
        #expect(taken > run.rounds / 10 && matched > run.rounds / 10)
    }
}
