import Testing

@testable import Tree

@Suite struct RulesTests {
    @Test("a document is kept unchanged, with its comments, and can be shown without them")
    func keeping() async throws {
        let text = """
            /* who may do what */ {
              "rules": { // "one" key
                ".read": true, ".write": "auth != null && '//' != \\"/*\\"",
                "$uid": { ".validate": "newData.isString()", ".indexOn": ["a/b", ".value", ["a", "b/c"]], ".ttl": 0.5 }
              }
            } // end
            """
        try await withStore(.memory) { store in
            #expect(try await store.rules() == nil)
            #expect(try await store.rulesJSON() == nil)
            try await store.setRules(text)
            #expect(try await store.rules() == text)
            let json = try #require(try await store.rulesJSON())
            let stripped = String(decoding: json, as: UTF8.self)
            #expect(!stripped.contains("who may") && !stripped.contains("one") && stripped.contains("'//' != \\\"/*"))
            try await store.setRules(stripped)
            #expect(try await store.rules(of: try Namespace("other")) == nil)
        }
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
        (#"{"rules": {".ttl": -1}}"#, "1:20: .ttl must be a positive number of seconds, at most 10000000000"),
        (#"{"rules": {".ttl": 1e300}}"#, "1:20: .ttl must be a positive number of seconds, at most 10000000000"),
        (#"{"rules": {".ttl": "60"}}"#, "1:20: a string where .ttl has a number of seconds"),
        ("{\"rules\": /* {\n}}", "1:11: a comment has no end"),
        ("{\"rules\": {} / }", "1:14: \"/\" where a comma or the end of the list should be"),
        ("{\"rules\": {\"a\": {}\n // }\n", "3:1: the text ends too early"),
        ("{\"rules\": {\"a\\", "1:12: a string has no end"),
        (#"{"rules": {"a/b": {}}}"#, "1:12: the key \"a/b\" has the character \"/\""),
        (#"{"rules": {,}}"#, "1:12: \",\" where a key in quotes should be"),
    ]

    @Test("a bad document is refused, with line and column, and the old one stays", arguments: refused)
    func refuse(text: String, complaint: String) async throws {
        try await withStore(.memory) { store in
            try await store.setRules(#"{"rules": {}}"#)
            let error = await expectCode(.invalidRules) { try await store.setRules(text) }
            #expect(error?.message == complaint)
            #expect(try await store.rules() == #"{"rules": {}}"#)
        }
    }

    static let depths: [(depth: Int, code: TreeError.Code?)] = [
        (32, nil), (33, .invalidRules), (1000, .invalidRules), (200_000, .tooLarge),
    ]

    @Test("depth and length have limits", arguments: depths)
    func limits(depth: Int, code: TreeError.Code?) async throws {
        let rules = String(repeating: "{\"a\":", count: depth) + "{}" + String(repeating: "}", count: depth)
        try await withStore(.memory) { store in
            guard let code else {
                try await store.setRules("{\"rules\":\(rules)}")
                return
            }
            await expectCode(code) { try await store.setRules("{\"rules\":\(rules)}") }
        }
    }

    @Test("indexes and times to live have a limit", arguments: [500, 501])
    func keptLimit(count: Int) async throws {
        let nodes = (0..<count).map { "\"k\($0)\": { \".indexOn\": \"a\", \".ttl\": 5 }" }
        let rules = "{ \"rules\": { \(nodes.joined(separator: ", ")) } }"
        try await withStore(.memory) { store in
            guard count > 500 else {
                try await store.setRules(rules)
                return
            }
            await expectCode(.invalidRules) { try await store.setRules(rules) }
        }
    }

    @Test("damaged catalogs and entries are an error, never a trap")
    func damage() async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.setRules(#"{ "rules": { "a": { ".indexOn": ["b", ["b", "c"]], "$x": { ".ttl": 5 } } } }"#)
            let key = RulesCatalog.key(of: .main)
            let row = try #require(try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: key) })
            #expect(try RulesCatalog(row: row.span).row == row)
            for length in 0..<row.count {
                _ = try? RulesCatalog(row: Array(row[..<length]).span)
            }
            for index in row.indices {
                var damaged = row
                damaged[index] ^= 0xFF
                _ = try? RulesCatalog(row: damaged.span)
            }
            let entry = Array("\u{5}abc".utf8)
            #expect(throws: TreeError.self) { try OrderedValue.end(in: entry.span, from: 0) }
            #expect(throws: TreeError.self) { try OrderedValue.end(in: [4, 1].span, from: 0) }
            #expect(throws: TreeError.self) { try OrderedValue.end(in: [9].span, from: 0) }
            #expect(throws: TreeError.self) { try OrderedValue.end(in: [1].span, from: 1) }
        }
    }
}
