import TestSupport
import Testing
import TreeModel

@testable import Rules

/// The rules that are evaluated, their order, and their nodes.
@Suite struct JudgingTests {
    private static let rules = """
        { "rules": {
            ".validate": "newData.hasChildren()",
            "open": { ".read": true, ".write": true, "closed": { ".read": false, ".write": false } },
            "users": { "$uid": {
                ".read": "auth.uid == $uid", ".write": "auth.uid == $uid",
                ".validate": "newData.hasChildren(['name'])",
                "name": { ".validate": "newData.isString() && newData.val().length < 10" },
                "age": { ".validate": "newData.isNumber()" },
                "tags": { "$tag": { ".validate": "newData.val() == true", "deep": { ".validate": "false" } } },
                "$other": { ".validate": "$other.beginsWith('x')" }
            } },
            "parent": { ".write": "newData.child('ok').val() == true", "child": {
                ".write": "newData.parent().child('also').val() == true && data.parent().exists()" } },
            "pairs": { "$a": { "$b": { ".write": "newData.val() == null || root.child('pairs').exists()",
                ".validate": "newData.parent().parent().child($b).child($a).exists()" } } },
            "list": { ".read": "query.orderByKey && query.limitToFirst <= 10" },
            "wide": { ".write": true, "$k": { ".validate": "newData.isNumber()" } },
            "fixed": { ".write": true, "a": { "b": { ".validate": "newData.isNumber()" } } },
            "above": { ".write": true, ".validate": "newData.child('count').val() < 3" },
            "prio": { ".write": "newData.getPriority() == 1" }
        } }
        """

    private static let state: JSONValue = [
        "open": ["a": 1], "users": ["bob": ["name": "Bob", "age": 3]], "parent": ["ok": true, "also": true],
        "pairs": ["x": ["y": 1], "y": ["x": 1]], "above": ["count": 2],
    ]

    private static let subject = RulesSubject(auth: ["uid": "bob"], now: 1)

    static let reads: [(path: String, isAllowed: Bool)] = [
        ("", false), ("open", true), ("open/a", true), ("open/closed", true), ("open/closed/x/y", true),
        ("users", false),
        ("users/bob", true), ("users/bob/name/x", true), ("users/eve", false), ("none", false), ("parent", false),
    ]

    @Test("a read is granted by a rule above, and never revoked below", arguments: reads)
    func read(path: String, isAllowed: Bool) throws {
        let document = try RulesDocument(Self.rules)
        let keys = path.split(separator: "/").map(String.init)
        let verdict = try document.judgeRead(at: keys, by: Self.subject, in: JSONRulesTree(Self.state).data)
        #expect(verdict.isAllowed == isAllowed)
        #expect((verdict.rule != nil) == isAllowed)
    }

    @Test("a query is judged by its parameters")
    func query() throws {
        let document = try RulesDocument(Self.rules)
        let data = try JSONRulesTree(Self.state).data
        for (query, isAllowed) in [
            (nil, false), (RulesQuery(order: .key, limitToFirst: 10), true),
            (RulesQuery(order: .key, limitToFirst: 11), false),
            (RulesQuery(order: .value, limitToFirst: 1), false),
        ] {
            let verdict = try document.judgeRead(at: ["list"], matching: query, by: Self.subject, in: data)
            #expect(verdict.isAllowed == isAllowed)
        }
    }

    typealias Write = (path: String, value: JSONValue, decision: String)

    static let writes: [Write] = [
        ("open/b", 2, "granted by .write of /open (3:30)"),
        ("open/closed/b", 2, "granted by .write of /open (3:30)"),
        ("", ["open": 1], "refused: no rule grants it"), ("none/a", 1, "refused: no rule grants it"),
        ("open", .null, "granted by .write of /open (3:30)"),
        // The nodes above and below a written node are validated, too; a node without a value is not.
        ("users/bob/name", "Robert", "granted by .write of /users/$uid (5:38)"),
        ("users/bob/name", 5, "refused by .validate of /users/$uid/name (7:19)"),
        ("users/bob/name", "far too long a name", "refused by .validate of /users/$uid/name (7:19)"),
        ("users/bob/name", .null, "granted by .write of /users/$uid (5:38)"),
        ("users/bob", ["name": "B", "age": 4], "granted by .write of /users/$uid (5:38)"),
        ("users/bob", ["age": 4], "refused by .validate of /users/$uid (6:9)"),
        ("users/bob", ["name": "B", "age": "4"], "refused by .validate of /users/$uid/age (8:18)"),
        ("users/bob", ["name": "B", "xyz": 1], "granted by .write of /users/$uid (5:38)"),
        ("users/bob", ["name": "B", "abc": 1], "refused by .validate of /users/$uid/$other (10:21)"),
        ("users/bob", .null, "granted by .write of /users/$uid (5:38)"),
        ("users/bob/age", 5, "granted by .write of /users/$uid (5:38)"),
        ("users/bob/tags", ["a": true, "b": true], "granted by .write of /users/$uid (5:38)"),
        ("users/bob/tags", ["a": true, "b": false], "refused by .validate of /users/$uid/tags/$tag (9:29)"),
        ("users/bob/tags/a", ["other": 1], "refused by .validate of /users/$uid/tags/$tag (9:29)"),
        ("users/bob/tags/a/deep", 1, "refused by .validate of /users/$uid/tags/$tag (9:29)"),
        ("users/eve", ["name": "E"], "refused: no rule grants it"), ("users/eve", .null, "refused: no rule grants it"),
        // `newData` navigates the state after the write, `data` the one before it.
        ("parent/child", 1, "granted by .write of /parent (12:17)"),
        ("parent", ["child": 1], "refused: no rule grants it"),
        ("parent/ok", false, "refused: no rule grants it"),
        // A deletion needs a grant only.
        ("pairs/x/y", .null, "granted by .write of /pairs/$a/$b (14:32)"),
        ("pairs/x/z", 1, "refused by .validate of /pairs/$a/$b (15:9)"),
        ("wide", ["a": 1, "b": 2], "granted by .write of /wide (17:15)"),
        ("wide", ["a": 1, "b": "2"], "refused by .validate of /wide/$k (17:39)"),
        ("wide/c/d", 1, "refused by .validate of /wide/$k (17:39)"),
        ("wide/c", .null, "granted by .write of /wide (17:15)"),
        ("fixed", ["a": ["b": "x", "c": 1], "d": "y"], "refused by .validate of /fixed/a/b (18:46)"),
        ("fixed", ["a": ["b": 1, "c": "x"], "d": "y"], "granted by .write of /fixed (18:16)"),
        ("above/count", 2, "granted by .write of /above (19:16)"),
        ("above/count", 3, "refused by .validate of /above (19:32)"),
        // The whole of `above` is deleted, so nothing remains to be validated. Of `count`, a part remains.
        ("above", .null, "granted by .write of /above (19:16)"),
        ("above/count", .null, "granted by .write of /above (19:16)"),
        ("prio", [".value": 5, ".priority": 1], "granted by .write of /prio (20:15)"),
        ("prio", [".value": 5, ".priority": 2], "refused: no rule grants it"),
    ]

    @Test("a write needs one grant, and every validation", arguments: writes)
    func write(path: String, value: JSONValue, decision: String) throws {
        let document = try RulesDocument(Self.rules)
        let keys = path.split(separator: "/").map(String.init)
        let before = try JSONRulesTree(Self.state)
        var after = before
        try after.set(keys, to: value)
        let verdict = try document.judgeWrite(at: keys, by: Self.subject, before: before.data, after: after.data)
        #expect(verdict.explanation == decision)
        let trace = try document.explainWrite(at: keys, by: Self.subject, before: before.data, after: after.data)
        #expect(trace.verdict.explanation == decision)
    }

    @Test("each path of an update is judged separately, against the state after the whole update")
    func update() throws {
        let document = try RulesDocument(Self.rules)
        let before = try JSONRulesTree(Self.state)
        var after = before
        let paths = [["pairs", "v", "w"], ["pairs", "w", "v"]]
        for path in paths { try after.set(path, to: 1) }
        for path in paths {
            #expect(
                try document.judgeWrite(at: path, by: Self.subject, before: before.data, after: after.data).isAllowed)
        }
        var half = before
        try half.set(paths[0], to: 1)
        let verdict = try document.judgeWrite(at: paths[0], by: Self.subject, before: before.data, after: half.data)
        #expect(!verdict.isAllowed)
    }

    @Test("an explanation has each rule that was evaluated, and the values of its parts")
    func explain() throws {
        let document = try RulesDocument(Self.rules)
        let before = try JSONRulesTree(Self.state)
        var after = before
        try after.set(["users", "bob", "name"], to: 5)
        let path = ["users", "bob", "name"]
        let trace = try document.explainWrite(at: path, by: Self.subject, before: before.data, after: after.data)
        let paths = trace.evaluations.map { "\($0.rule.kind.rawValue) \($0.rulePath) \($0.path) \($0.isTrue)" }
        #expect(
            paths == [
                ".write /users/$uid /users/bob true", ".validate / / true", ".validate /users/$uid /users/bob true",
                ".validate /users/$uid/name /users/bob/name false",
            ])
        #expect(
            trace.evaluations.first?.values == [
                RulesTrace.Value(text: "auth", value: "an object", range: 0..<4),
                RulesTrace.Value(text: "auth.uid", value: "\"bob\"", range: 0..<8),
                RulesTrace.Value(text: "$uid", value: "\"bob\"", range: 12..<16),
                RulesTrace.Value(text: "auth.uid == $uid", value: "true", range: 0..<16),
            ])
        let anonymous = RulesSubject(auth: nil, now: 1)
        let rule = try RulesDocument(#"{"rules": {".read": "auth.uid.length > 1"}}"#)
        let refused = try rule.explainRead(at: [], by: anonymous, in: before.data)
        #expect(refused.evaluations.map(\.fault) == ["the length of a value that is not a string was used"])
    }

    /// A node whose data cannot be read.
    private final class Damaged: RulesData {
        func child(_ path: String) throws(TreeError) -> any RulesData { self }
        func parent() -> (any RulesData)? { nil }
        func value() throws(TreeError) -> RulesScalar { throw TreeError(.io, "damaged") }
        func priority() throws(TreeError) -> RulesScalar { throw TreeError(.io, "damaged") }
        func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError) {
            throw TreeError(.io, "damaged")
        }
    }

    @Test("unreadable data are a failure, and not a refusal")
    func damage() throws {
        let document = try RulesDocument(#"{"rules": {".read": "!data.exists() || true", ".write": "data.exists()"}}"#)
        #expect(throws: TreeError.self) {
            try document.judgeRead(at: [], by: Self.subject, in: Damaged())
        }
        #expect(throws: TreeError.self) {
            try document.judgeWrite(at: [], by: Self.subject, before: Damaged(), after: Damaged())
        }
    }

    static let costly: [(rule: String, fault: RuleFault)] = [
        (doubling(times: 24), .tooManySteps), ("data.child('big').val().replace('a', 'aaaaaaaaaaaa') == ''", .tooLong),
        ("data.child('big').val().contains('\(String(repeating: "a", count: 1000))b')", .tooManySteps),
        ("data.child('big').val().matches(/(a|b|ab|aa|aaa|aaaa){50}c/)", .tooManySteps),
    ]

    /// Returns an expression that concatenates a string with itself, again and again.
    private static func doubling(times: Int) -> String {
        let text = (0..<times).reduce("'aaaaaaaaaaaaaaaa'") { text, _ in "\(text).replace('a', 'aa')" }
        return "\(text) == ''"
    }

    @Test("a rule that costs too much is false", arguments: costly)
    func cost(rule: String, fault: RuleFault) throws {
        var scene = Scene()
        scene.before = ["items": ["i1": ["big": .string(String(repeating: "a", count: 1_000_000))]]]
        #expect(try scene.outcome(of: rule) == .fault(fault))
    }
}
