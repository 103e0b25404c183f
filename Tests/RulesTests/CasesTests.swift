import Foundation
import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite("Cases evaluate rules for actions, without a store")
struct CasesTests {
    private static let rules = """
        {"rules": {
          "posts": {".read": "query.limitToLast <= 10 && query.orderByChild === 'at'",
            "$post": {".read": true, ".write": "auth !== null && (auth.uid === newData.child('author').val() || auth.uid === data.child('author').val())",
              ".validate": "newData.hasChildren(['author', 'at'])",
              "at": {".validate": "newData.val() === now"},
              "likes": {".validate": "newData.val() === data.val() + 1"}}},
          "feed": {"$uid": {"$post": {".write": "auth.uid === $uid",
            ".validate": "newData.parent().parent().parent().child('posts').child($post).exists()"}}}}}
        """

    private static let data: JSONValue = ["posts": ["p1": ["author": "maria", "at": 5, "likes": 2]]]

    /// Whether the rules decide a case as it expects.
    private func isAsExpected(_ json: JSONValue) throws -> Bool {
        let document = try RulesDocument(Self.rules)
        let cases = try RulesCases(["data": Self.data, "now": 1000, "cases": [json]]).cases
        let one = try #require(cases.first)
        guard case .tree(let tree) = one.source else { return false }
        let judgement = try document.explain(
            one.action, by: one.actor, at: one.now ?? 0, in: try JSONRulesTree(tree))
        return judgement.isAllowed == one.isAllowed
    }

    @Test(
        "A case is evaluated as it specifies",
        arguments: [
            ["as": .null, "read": "posts/p1", "expect": "allow"],
            ["as": .null, "read": "posts", "expect": "deny"],
            ["as": .null, "read": "posts", "query": ["orderBy": "at", "limitToLast": 10], "expect": "allow"],
            ["as": .null, "read": "posts", "query": ["orderBy": "at", "limitToLast": 11], "expect": "deny"],
            ["as": .null, "read": "posts", "query": ["orderBy": "$key", "limitToLast": 5], "expect": "deny"],
            ["as": "admin", "read": "/", "expect": "allow"],
            ["as": ["uid": "admin"], "read": "/", "expect": "deny"],
            ["as": "maria", "delete": "posts/p1", "expect": "allow"],
            ["as": "anna", "delete": "/posts/p1/", "expect": "deny"],
            ["as": .null, "delete": "posts/p1", "expect": "deny"],
            ["as": "maria", "set": "posts/p1/at", "value": 1000, "expect": "allow"],
            ["as": "maria", "set": "posts/p1/at", "value": 1001, "expect": "deny"],
            ["as": "maria", "set": "posts/p1/at", "value": 1001, "now": 1001, "expect": "allow"],
            ["as": "maria", "set": "posts/p1/at", "value": [".sv": "timestamp"], "expect": "allow"],
            ["as": "maria", "set": "posts/p1/likes", "value": [".sv": ["increment": 1]], "expect": "allow"],
            ["as": "maria", "set": "posts/p1/likes", "value": [".sv": ["increment": 2]], "expect": "deny"],
            [
                "as": "anna", "expect": "allow",
                "write": ["posts/p2": ["author": "anna", "at": [".sv": "timestamp"]], "feed/anna/p2": true],
            ],
            ["as": "anna", "write": ["feed/anna/p2": true], "expect": "deny"],
            ["as": "anna", "write": ["feed/anna/p2": true], "data": ["posts": ["p2": 1]], "expect": "allow"],
            [
                "as": "anna", "expect": "deny",
                "write": ["posts/p2": ["author": "maria", "at": 1000], "feed/anna/p2": true],
            ],
        ] as [JSONValue])
    func judged(json: JSONValue) throws {
        #expect(try isAsExpected(json), "\(json)")
        var opposite = json
        opposite["expect"] = json["expect"] == "allow" ? "deny" : "allow"
        #expect(try !isAsExpected(opposite), "\(json)")
    }

    @Test(
        "A case with a mistake is refused, and the error describes the mistake",
        arguments: [
            ([], "a case is no object"), (["read": "a", "expect": "deny"], "\"as\" is missing"),
            (["as": .null, "expect": "deny"], "one of \"read\""),
            (["as": .null, "read": "a", "delete": "b", "expect": "deny"], "one of \"read\""),
            (["as": .null, "read": "a"], "\"expect\""), (["as": .null, "read": "a", "expect": true], "\"expect\""),
            (["as": .null, "read": "a", "expects": "deny"], "no member \"expects\""),
            (["as": 5, "read": "a", "expect": "deny"], "user's id"), (["as": "", "read": "a", "expect": "deny"], "id"),
            (["as": .null, "read": 5, "expect": "deny"], "\"read\" must be a path"),
            (["as": .null, "read": "a/b#", "expect": "deny"], "#"),
            (["as": .null, "set": "a", "expect": "deny"], "\"value\""),
            (["as": .null, "read": "a", "value": 1, "expect": "deny"], "\"value\" is only valid with \"set\""),
            (["as": .null, "delete": "a", "query": [:], "expect": "deny"], "\"query\" is only valid with \"read\""),
            (["as": .null, "write": [:], "expect": "deny"], "\"write\""),
            (["as": .null, "write": ["a": 1, "/a/b": 2], "expect": "deny"], "/a and /a/b"),
            (["as": .null, "write": ["a": 1, "a/": 2], "expect": "deny"], "/a and /a"),
            (["as": .null, "read": "a", "query": ["limitToLast": 1], "expect": "deny"], "orderBy"),
            (
                ["as": .null, "read": "a", "query": ["orderBy": "b", "limitToLast": 0], "expect": "deny"], "limitToLast"
            ),
            (
                [
                    "as": .null, "read": "a", "query": ["orderBy": "b", "limitToLast": 1, "limitToFirst": 1],
                    "expect": "deny",
                ],
                "only one"
            ),
            (["as": .null, "read": "a", "query": ["orderBy": "b", "equalTo": [1]], "expect": "deny"], "scalar"),
            (["as": .null, "read": "a", "query": ["orderBy": "$key", "startAt": 1], "expect": "deny"], "string"),
            (["as": .null, "read": "a", "now": "soon", "expect": "deny"], "\"now\""),
            (["as": .null, "read": "a", "name": 1, "expect": "deny"], "\"name\""),
        ] as [(JSONValue, String)])
    func mistakes(json: JSONValue, complaint: String) throws {
        let error = try #require(throws: TreeError.self) {
            try RulesCases(["cases": [["as": .null, "read": "", "expect": "deny"], json]])
        }
        #expect(error.message.hasPrefix("case 2") && error.message.contains(complaint), "\(json): \(error)")
    }

    @Test(
        "A document without cases, or with unknown members, is refused",
        arguments: [[:], ["cases": []], ["cases": 1], ["case": []], []] as [JSONValue])
    func documents(json: JSONValue) {
        #expect(throws: TreeError.self) { try RulesCases(json) }
    }

    @Test(
        "Values that no tree can hold are detected when a case is judged",
        arguments: [["a#": 1], [".sv": "time"], [".sv": ["increment": "1"]]] as [JSONValue])
    func values(json: JSONValue) throws {
        let action = try RulesAction.write([RulesWrite("posts", json)])
        #expect(throws: TreeError.self) {
            try RulesDocument(Self.rules).explain(action, by: .user("maria"), at: 0, in: try JSONRulesTree())
        }
    }

    @Test("An outline lists each part below its parent, and no nodes")
    func outline() throws {
        let rule = "auth.uid === 'maria' && (root.child('a').child($k + 'x').val() + 1 > 2 || !data.exists())"
        let document = try RulesDocument(#"{"rules": {"$k": {".read": "\#(rule)"}}}"#)
        let judgement = try document.explain(
            .read("k"), by: .user("maria"), at: 0, in: try JSONRulesTree(["a": ["kx": 1]]))
        let evaluation = try #require(judgement.parts.first?.trace.evaluations.first)
        let lines = evaluation.outline.map { String(repeating: " ", count: $0.depth) + "\($0.text) = \($0.value)" }
        #expect(
            lines == [
                "auth.uid === 'maria' = true", " auth.uid = \"maria\"", "  auth = an object",
                "root.child('a').child($k + 'x').val() + 1 > 2 = false",
                " root.child('a').child($k + 'x').val() + 1 = 2", "  root.child('a').child($k + 'x').val() = 1",
                "   $k + 'x' = \"kx\"", "    $k = \"k\"", "!data.exists() = true", " data.exists() = false",
            ])
        #expect(judgement.isAllowed)
    }
}
