import Testing

@testable import Tree

@Suite struct TreeValueTests {
    static let texts: [(TreeValue, String)] = [
        (true, "true"), (false, "false"), (0, "0"), (-7, "-7"), (.integer(.max), "9223372036854775807"),
        (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1.5e300, "1.5e+300"), (.double(.leastNonzeroMagnitude), "5e-324"),
        (1e15, "1000000000000000"),
        (1e19, "1e+19"), (.double(0.1 + 0.2), "0.30000000000000004"), (.double(.nan), "null"),
        (.double(.infinity), "null"),
        ("", #""""#), ("é👍", #""é👍""#), ("\"\\/", #""\"\\/""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1F}\u{7F}\u{2028}", "\"\\u0000\\u001f\u{7F}\u{2028}\""), ("\r\n", #""\r\n""#),
        ([:], "{}"), (["b": 1, "a": 2, "10": 3, "9": 4], #"{"9":4,"10":3,"a":2,"b":1}"#),
        (["\u{FFFD}": 1, "\u{10000}": 2], "{\"\u{10000}\":2,\"\u{FFFD}\":1}"), (["a\"b": true], #"{"a\"b":true}"#),
        // Arrays: every key is a canonical integer ≥ 0, and the greatest is below twice the number of keys.
        (["0": 1, "1": 2], "[1,2]"), (["1": 1], "[null,1]"), (["2": 1], #"{"2":1}"#),
        (["0": 1, "3": 2], "[1,null,null,2]"),
        (["0": 1, "4": 2], #"{"0":1,"4":2}"#), (["0": 1, "01": 2], #"{"0":1,"01":2}"#),
        (["-1": 1, "0": 2], #"{"-1":1,"0":2}"#),
        (["-0": 1], #"{"-0":1}"#), (["0": 1, "a": 2], #"{"0":1,"a":2}"#), (["00": 1], #"{"00":1}"#),
        (["1": ["11": ["111": 42]]], #"[null,{"11":{"111":42}}]"#), (["99999999999": 1], #"{"99999999999":1}"#),
    ]

    @Test("a value has the expected JSON text", arguments: texts)
    func json(value: TreeValue, text: String) {
        #expect(String(decoding: value.json(), as: UTF8.self) == text)
    }

    @Test("JSON can be written with lines and indents")
    func prettyJSON() {
        let value: TreeValue = ["a": ["0": 1, "1": [:]], "b": "x"]
        let text = """
            {
              "a": [
                1,
                {}
              ],
              "b": "x"
            }
            """
        #expect(String(decoding: value.json(pretty: true), as: UTF8.self) == text)
    }

    static let equalPairs: [(TreeValue, TreeValue)] = [
        (1, 1.0), (0, -0.0), (["a": 2], ["a": 2.0]), ("é", "\u{E9}"), (.integer(1 << 53), .double(0x1p53)),
        (.integer(.min), .double(-0x1p63)),
    ]
    static let differentPairs: [(TreeValue, TreeValue)] = [
        (1, "1"), (1, true), (0, false), (1, 1.5), ("\u{E9}", "e\u{301}"), (["a": 1], ["a": 1, "b": 2]), ("", [:]),
        (["\u{E9}": 1], ["e\u{301}": 1]), (.integer(1 << 53 + 1), .double(0x1p53)), (.integer(.max), .double(0x1p63)),
    ]

    @Test("equal values compare as equal", arguments: equalPairs)
    func equal(left: TreeValue, right: TreeValue) {
        #expect(left == right && left.hashValue == right.hashValue)
    }

    @Test("different values compare as different", arguments: differentPairs)
    func different(left: TreeValue, right: TreeValue) {
        #expect(left != right)
    }

    @Test("accessors return the value, or nil")
    func accessors() throws {
        let value: TreeValue = ["s": "x", "i": 2.0, "d": 0.5, "b": false, "o": ["k": 1], "e": ["f": [:]]]
        #expect(value["s"]?.stringValue == "x" && value["i"]?.integerValue == 2 && value["d"]?.doubleValue == 0.5)
        #expect(value["b"]?.boolValue == false && value["o"]?.object == ["k": 1] && value["i"]?.doubleValue == 2)
        #expect(value["s"]?.integerValue == nil && value["d"]?.integerValue == nil && value["s"]?["x"] == nil)
        #expect(value[path: "o/k"] == 1 && value[path: "o/k/x"] == nil && value[path: .root] == value)
        #expect(try value.normalised()?["e"] == nil && TreeValue.object([:]).normalised() == nil)
    }

    @Test("leaves can be read back from their bytes, and cut ones are refused")
    func leafEncoding() throws {
        let leaves: [TreeValue] = [true, false, 0, -1, .integer(.max), 0.5, "", "é\u{0}"]
        for leaf in leaves {
            let bytes = try #require(LeafEncoding.encode(leaf))
            #expect(try LeafEncoding.decode(bytes.span) == leaf)
        }
        let bad: [[UInt8]] = [
            [], [0], [3], [3, 0, 0, 0, 0, 0, 0, 0], [4, 1], [5, 0xFF], [5, 0xED, 0xA0, 0x80], [6],
        ]
        for bytes in bad {
            #expect { try LeafEncoding.decode(bytes.span) } throws: { ($0 as? TreeError)?.code == .corrupt }
        }
    }
}
