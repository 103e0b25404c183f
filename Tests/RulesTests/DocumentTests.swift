import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite struct DocumentTests {
    @Test("a document keeps its comments, and can be shown without them")
    func keeping() throws {
        let text = """
            /* who may do what */ {
              "rules": { // "one" key
                ".read": true, ".write": "auth != null && '//' != \\"/*\\"",
                "$uid": { ".validate": "newData.isString()", ".indexOn": ["a/b", ".value", ["a", "b/c"]], ".ttl": 0.5 }
              }
            } // end
            """
        let document = try RulesDocument(text)
        let stripped = String(decoding: document.json, as: UTF8.self)
        #expect(!stripped.contains("who may") && !stripped.contains("one") && stripped.contains("'//' != \\\"/*"))
        #expect(stripped.utf8.count == text.utf8.count)
        _ = try RulesDocument(stripped)
        let wildcard = try #require(document.root.wildcard)
        #expect(wildcard.name == "$uid")
        #expect(wildcard.indexes == [.children(["a/b"]), .value, .children(["a", "b/c"])])
        #expect(wildcard.timeToLiveMilliseconds == 500)
        #expect(wildcard.validate.map { [$0.line, $0.column] } == [4, 15])
        #expect(document.root.write?.text == "auth != null && '//' != \"/*\"")
        #expect(document.root.read.map { [$0.line, $0.column] } == [3, 5])
    }

    @Test("a document of an earlier version is read, and a rule that does not compile is never true")
    func stored() throws {
        let text = #"{"rules": {".read": "what is this", ".write": true, "a": {".indexOn": "b"}}}"#
        #expect(throws: TreeError.self) { try RulesDocument(text) }
        let document = try RulesDocument(stored: text)
        let (data, subject) = (try JSONRulesTree().data, RulesSubject(auth: nil, now: 0))
        #expect(try !document.judgeRead(at: [], by: subject, in: data).isAllowed)
        #expect(try document.judgeWrite(at: [], by: subject, before: data, after: data).isAllowed)
        #expect(document.root.children["a"]?.indexes == [.children(["b"])])
    }

    static let refused: [(text: String, complaint: String)] = [
        ("", "1:1: the text ends too early"),
        ("5", "1:1: the document must be an object with the one key \"rules\""),
        ("[]", "1:1: the document must be an object with the one key \"rules\""),
        ("{}", "1:2: the document must be an object with the one key \"rules\""),
        (#"{"rules": {}, "more": {}}"#, "1:15: the document must be an object with the one key \"rules\""),
        (#"{"rules": {}, "rules": {}}"#, "1:15: the document must be an object with the one key \"rules\""),
        (#"{"rules": true}"#, "1:11: true or false where an object of rules should be"),
        (#"{"rules": [1]}"#, "1:11: a list where an object of rules should be"),
        ("{\"rules\": {\n  \"é\": {\".reed\": true}}}", "2:9: unknown rule \".reed\""),
        ("{\"rules\": {\n\n \"$\": {}}}", "3:2: a wildcard has a name after the \"$\""),
        (#"{"rules": {"$a": {}, "$b": {}}}"#, "1:22: a node has at most one wildcard"),
        (#"{"rules": {"$a": {"b": {"$a": {}}}}}"#, "1:25: the wildcard \"$a\" is there twice on one path"),
        (#"{"rules": {"a": {}, "a": {}}}"#, "1:21: the key \"a\" is there twice in one object"),
        (#"{"rules": {".read": 1}}"#, "1:21: a number where a string, true or false should be"),
        (#"{"rules": {".write": null}}"#, "1:22: null where a string, true or false should be"),
        (#"{"rules": {".validate": {}}}"#, "1:25: an object where a string, true or false should be"),
        (#"{"rules": {".indexOn": true}}"#, "1:24: true or false where .indexOn has a path, or a list of paths"),
        (#"{"rules": {".indexOn": {"a": 1}}}"#, "1:24: an object where .indexOn has a path, or a list of paths"),
        (#"{"rules": {".indexOn": [["a", ["b"]]]}}"#, "1:31: a list where .indexOn has a path, or a list of paths"),
        (#"{"rules": {".indexOn": ""}}"#, "1:24: \"\" in .indexOn is no path of a child, nor \".value\""),
        (#"{"rules": {".indexOn": "a.b"}}"#, "1:24: \"a.b\" in .indexOn is no path of a child, nor \".value\""),
        (
            #"{"rules": {".indexOn": [["a", ".value"]]}}"#,
            "1:39: \".value\" in a list of .indexOn is no path of a child"
        ),
        (#"{"rules": {".indexOn": [[]]}}"#, "1:26: an index is of 1 to 8 children"),
        (#"{"rules": {".ttl": 0}}"#, "1:20: .ttl must be a positive number of seconds, at most 10000000000"),
        (#"{"rules": {".ttl": 1e300}}"#, "1:20: .ttl must be a positive number of seconds, at most 10000000000"),
        (#"{"rules": {".ttl": "60"}}"#, "1:20: a string where .ttl has a number of seconds"),
        ("{\"rules\": /* {\n}}", "1:11: a comment has no end"),
        ("{\"rules\": {} / }", "1:14: \"/\" where a comma or the end of the list should be"),
        ("{\"rules\": {\"a\": {}\n // }\n", "3:1: the text ends too early"),
        ("{\"rules\": {\"a\\", "1:12: a string has no end"),
        (#"{"rules": {"a/b": {}}}"#, "1:12: the key \"a/b\" has the character \"/\""),
        (#"{"rules": {,}}"#, "1:12: \",\" where a key in quotes should be"),
    ]

    @Test("a bad document is refused, with line and column", arguments: refused)
    func refuse(text: String, complaint: String) {
        #expect(RulesDocument.complaint(aboutDocument: text) == complaint)
    }

    static let depths: [(depth: Int, code: TreeError.Code?)] = [
        (32, nil), (33, .invalidRules), (1000, .invalidRules), (200_000, .tooLarge),
    ]

    @Test("depth and length have limits", arguments: depths)
    func limits(depth: Int, code: TreeError.Code?) throws {
        let rules = String(repeating: "{\"a\":", count: depth) + "{}" + String(repeating: "}", count: depth)
        do {
            _ = try RulesDocument("{\"rules\":\(rules)}")
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("indexes and times to live have a limit", arguments: [500, 501])
    func keptLimit(count: Int) throws {
        let nodes = (0..<count).map { "\"k\($0)\": { \".indexOn\": \"a\", \".ttl\": 5 }" }
        let complaint = RulesDocument.complaint(aboutDocument: "{ \"rules\": { \(nodes.joined(separator: ", ")) } }")
        #expect((complaint == nil) == (count == 500))
    }

    @Test("a key has the rules of the literal child, else those of the wildcard, compared by bytes")
    func matching() throws {
        let document = try RulesDocument(
            "{\"rules\": {\"é\": {\"x\": {}}, \"e\u{301}\": {\"y\": {}}, \"$any\": {\"z\": {}}}}")
        #expect(document.root.node(at: ["é"])?.children.keys.map(\.string) == ["x"])
        #expect(document.root.node(at: ["e\u{301}"])?.children.keys.map(\.string) == ["y"])
        #expect(document.root.node(at: ["e"])?.name == "$any")
        #expect(document.root.node(at: ["e", "z"])?.name == "z")
        #expect(document.root.node(at: ["e", "a"]) == nil)
        #expect(document.root.node(at: [])?.name == "")
    }
}
