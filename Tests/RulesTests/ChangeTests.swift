import Testing

@testable import Rules

@Suite("The changes in a rules document")
struct ChangeTests {
    private static let old = """
        {"rules": {".read": false, "a": {".write": "auth !== null", ".indexOn": ["x", "y"]},
          "b": {"$c": {".validate": "newData.isString()", ".ttl": 5}}}}
        """

    @Test(
        arguments: [
            (old, []),
            // The two documents differ only in their layout.
            (
                """
                { /* the same */ "rules": {"b": {"$c": {".ttl": 5.0, ".validate": "newData.isString()"}},
                  "a": {".indexOn": ["y", "x"], ".write": "auth !== null"}, ".read": "false"}}
                """, []
            ),
            (
                #"{"rules": {".read": true, "a": {".write": "auth !== null", ".indexOn": "x"}, "d": {".write": false}}}"#,
                [
                    "changed / .read", "changed /a .indexOn", "removed /b/$c .ttl", "removed /b/$c .validate",
                    "added /d .write",
                ]
            ),
        ] as [(String, [String])])
    func changes(new: String, expected: [String]) throws {
        let changes = try RulesDocument(new).changes(since: try RulesDocument(Self.old))
        #expect(changes.map { "\($0.kind.rawValue) \($0.path) \($0.member)" } == expected)
    }

    @Test func counts() throws {
        let counts = try RulesDocument(Self.old).counts
        #expect(counts.rules == 3 && counts.indexes == 2 && counts.timesToLive == 1)
    }
}
