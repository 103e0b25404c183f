import TreeModel

/// The rules about mentions in comments.
extension DefaultRulesTests {
    /// Returns Bob's comment, with more fields.
    static func comment(with more: [String: JSONValue], text: String = "Hi @Anna") -> JSONValue {
        guard case .object(let fields) = comment(by: author("bob", "Bob"), text: text) else { return .null }
        return .object(fields.merging(more) { $1 })
    }

    private static func mention(_ uid: String, _ start: JSONValue, _ length: JSONValue) -> JSONValue {
        ["uid": .string(uid), "start": start, "length": length]
    }

    static let mentioning: [Transaction] =
        [
            ("a mention", ["comments/P1/C9": comment(with: ["mentions": [mention("anna", 3, 5)]])], [.bob]),
            ("a mention afterwards", ["comments/P1/C1/mentions/0": mention("anna", 0, 4)], [.bob, .admin]),
            ("the end of a mention", ["comments/P1/C1/mentions": .null], [.bob, .admin]),
            (
                "a mention of whom the same update makes",
                ["comments/P1/C9": comment(with: ["mentions": [mention("bob", 3, 5)]]), "people/bob/full_name": "Bob"],
                [.bob]
            ),
            (
                "a mention of the last unit, which an emoji needs two of",
                ["comments/P1/C9": comment(with: ["mentions": [mention("anna", 1, 2)]], text: "x😀")], [.bob]
            ),
        ] + badMentions.map { name, mentions in (name, ["comments/P1/C9": comment(with: ["mentions": mentions])], []) }

    private static let badMentions: [(name: String, mentions: JSONValue)] = [
        ("mentions that are none", "anna"), ("a mention that is none", ["anna"]),
        ("a mention behind the text", [mention("anna", 3, 6)]), ("a mention of nothing", [mention("anna", 3, 0)]),
        ("a mention before the text", [mention("anna", -1, 3)]),
        ("a mention of half a unit", [mention("anna", 0, .double(1.5))]),
        ("a mention from half a unit on", [mention("anna", .double(0.5), 1)]),
        ("a mention that starts with words", [mention("anna", "3", 1)]),
        ("a mention of nobody", [mention("zoe", 3, 5)]), ("a mention of a path", [mention("anna/full_name", 3, 5)]),
        ("a mention without an end", [["uid": "anna", "start": 3]]),
        ("a mention with more", [["uid": "anna", "start": 3, "length": 1, "more": 1]]),
        ("a mention by a name", ["x": mention("anna", 3, 5)]),
        ("a mention past the last", ["30": mention("anna", 3, 5)]),
    ]
}
