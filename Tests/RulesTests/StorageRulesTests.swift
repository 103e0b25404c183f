import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite struct StorageRulesTests {
    private static let anna = RulesSubject(
        auth: ["uid": "anna", "token": ["name": "Anna", "groups": ["a", "b"]]], now: 5000)

    private static func resource(_ size: Int64 = 1000, _ contentType: String? = "image/jpeg") -> StorageResource {
        StorageResource(
            name: "anna/full/P/a.jpg", bucket: "b1", size: size, contentType: contentType, metadata: ["kind": "cat"],
            created: 4000)
    }

    /// Whether a condition allows Anna to replace a photo.
    private static func allows(_ condition: String, functions: String = "", version: Int = 2) throws -> Bool {
        let rules = try StorageRules(
            """
            rules_version = '\(version)'; \(functions)
            service firebase.storage { match /b/{bucket}/o { match /{uid}/{folder}/{rest=**} {
              allow update: if \(condition);
            } } }
            """)
        return rules.judge(
            .update, of: "anna/full/P/a.jpg", in: "b1", by: anna, resource: resource(), newResource: resource(2000)
        ).isAllowed
    }

    static let conditions: [(condition: String, isAllowed: Bool)] = [
        ("true", true), ("false", false), ("!false", true), ("1 < 2 && 2 >= 2", true), ("1 + 2 * 3 == 7", true),
        ("7 / 2 == 3 && 7 % 2 == 1", true), ("7.0 / 2 == 3.5", true), ("-1 < 0", true), ("1 == 1.0", true),
        ("1 == '1'", false),
        ("'a' + 'b' == 'ab'", true), ("'a' < 'b'", true), ("'a' < 1", false), ("'a' + 1 == 'a1'", false),
        ("1 / 0 == 1", false),
        ("9223372036854775807 + 9223372036854775807 > 0.0", true), ("4611686018427387904 * 4 == 0", false),
        ("true ? true : 1 / 0", true),
        ("bucket == 'b1' && uid == 'anna' && folder == 'full' && rest == 'P/a.jpg'", true),
        ("request.auth != null", true), ("request.auth.uid == uid", true), ("request.auth.token.name == 'Anna'", true),
        ("request.auth.token['name'] == 'Anna'", true), ("'a' in request.auth.token.groups", true),
        ("'c' in request.auth.token.groups", false),
        ("'name' in request.auth.token", true), ("'x' in 'xy'", false), ("request.auth.token.groups[1] == 'b'", true),
        ("request.auth.token.groups[2] == 'b'", false), ("request.auth.token.groups.size() == 2", true),
        ("uid in ['bob', 'anna']", true),
        ("request.auth.token.groups == ['a', 'b']", true), ("resource.size == 1000", true),
        ("request.resource.size == 2000", true),
        ("request.resource.contentType.matches('image/.*')", true),
        ("request.resource.contentType.matches('image')", false),
        ("resource.name == 'anna/full/P/a.jpg' && resource.bucket == bucket", true),
        ("resource.metadata.kind == 'cat'", true),
        ("resource.timeCreated < request.time", true), ("request.time.toMillis() == 5000", true),
        ("request.time == 5000", false),
        ("request.resource.name.size() == 17", true), ("request.method == 'update'", true),
        ("uid.matches('an' + '+a')", true), ("uid.matches('(' + '(')", false),
        // A missing field fails, and a failed condition is not true; but if one side decides, that is enough.
        ("request.auth.token.admin == true", false), ("!(request.auth.token.admin == true)", false),
        ("request.auth.token.admin == true || uid == 'anna'", true),
        ("uid == 'anna' || request.auth.token.admin == true", true),
        ("request.auth.token.admin || uid == 'anna'", true),
        ("request.auth.token.admin == true || uid == 'bob'", false),
        ("!(request.auth.token.admin == true && uid == 'bob')", true), ("request.auth.token && true", false),
        ("uid && true", false), ("uid.name == 'x'", false),
        ("null == null", true), ("null.a == null", false), ("true || 1", true),
    ]

    @Test("a condition has the expected result", arguments: conditions)
    func evaluate(condition: String, isAllowed: Bool) throws {
        #expect(try Self.allows(condition) == isAllowed)
    }

    @Test("functions accept arguments, and see the variables around them")
    func functions() throws {
        let functions =
            "function owns(u) { return request.auth.uid == u; } function both(u, n) { return owns(u) && n < 3 }"
        #expect(try Self.allows("owns(uid)", functions: functions))
        #expect(try Self.allows("both('anna', 2)", functions: functions))
        #expect(try !Self.allows("both('anna', 3)", functions: functions))
        #expect(try !Self.allows("both(uid, request.none)", functions: functions))
        // Only a limit ends this many calls.
        let many =
            (0..<18).map { "function f\($0)(a) { return f\($0 + 1)(a) == f\($0 + 1)(a); }" }.joined()
            + "function f18(a) { return a; }"
        #expect(try !Self.allows("f0(1) == f0(1)", functions: many))
        let deep =
            (0..<25).map { "function f\($0)(a) { return f\($0 + 1)(a); }" }.joined() + "function f25(a) { return a; }"
        #expect(try !Self.allows("f0(true)", functions: deep))
        #expect(try Self.allows("f10(true)", functions: deep))
    }

    static let paths: [(operation: StorageOperation, name: String, line: Int?)] = [
        (.get, "a", nil), (.get, "x/a", 5), (.list, "x/a", 5), (.create, "x/a", nil), (.get, "x/a/b", 7),
        (.get, "x/é/b", 7), (.get, "x//b", nil),
        (.get, "", nil), (.get, "/", nil), (.get, "x/", nil), (.create, "y/a/b", 10), (.create, "y/z", 10),
        (.update, "y/a/b", nil), (.get, "y", nil), (.delete, "w/1/end", 13),
        (.delete, "w/1/2/3/end", 13), (.delete, "w/end", nil), (.delete, "w/1/2", nil), (.list, "y/", nil),
        (.list, "x/a/", 5),
    ]

    @Test("a block applies to the whole path, and grants the operations that it names", arguments: paths)
    func match(operation: StorageOperation, name: String, line: Int?) throws {
        let rules = try StorageRules(
            """
            service firebase.storage {
              match /b/{bucket}/o {
                // Two parts, and three.
                match /x/{a} {
                  allow read;
                  match /b {
                    allow get, list;
                  }
                }
                match /y/{rest=**} { allow create: if rest.size() > 0; }

                match /w/{some=**}/end {
                  /* some */ allow write: if some != '';
                }
              }
            }
            """)
        for subject in [Self.anna, RulesSubject(auth: nil, now: 0)] {
            let verdict = rules.judge(operation, of: name, in: "b1", by: subject, resource: nil, newResource: nil)
            // The remaining grants are at the lines of their blocks.
            let expected = line == 10 || line == 7 ? verdict.line : line
            #expect(verdict.isAllowed == (line != nil))
            #expect(verdict.line == expected)
        }
    }

    @Test(
        "the last semicolon of a block may be left out", arguments: ["allow get", "allow list; allow get: if b == 'b'"])
    func lastSemicolon(statements: String) throws {
        let rules = try StorageRules("service firebase.storage { match /b/{b}/o/x { \(statements) } }")
        let verdict = rules.judge(.get, of: "x", in: "b", by: Self.anna, resource: nil, newResource: nil)
        #expect(verdict.isAllowed)
    }

    @Test("from version 2 on, the rest of a path may be empty")
    func versions() throws {
        for (version, isAllowed) in [(1, false), (2, true)] {
            let rules = try StorageRules(
                "rules_version = '\(version)'; service firebase.storage { match /b/{b}/o/x/{r=**} { allow get; } }")
            let verdict = rules.judge(.get, of: "x", in: "b", by: Self.anna, resource: nil, newResource: nil)
            #expect(verdict.isAllowed == isAllowed)
        }
    }

    /// Rules, or statements with or without a condition, and their complaints.
    static let refused: [(text: String, complaint: String)] = [
        ("", "1:1: Unexpected end of the text, expected 'service firebase.storage'."),
        ("service cloud.firestore { }", "1:9: Unexpected 'cloud', expected 'firebase.storage'."),
        ("rules_version = '3'; ", "1:17: Unexpected ''3'', expected '1' or '2'."),
        ("service firebase.storage { allow read; }", "1:28: Unexpected 'allow', expected 'match' or 'function'."),
        ("service firebase.storage {\n  match b { } }", "2:9: Unexpected 'b', expected a path."),
        ("service firebase.storage {\n  match /é/{} { } }", "2:12: Invalid path."),
        ("service firebase.storage { match /{a=**}/{b=**} { } }", "1:34: A path takes the rest of a path twice."),
        (
            "service firebase.storage { match /{a=**} { match /b { } } }",
            "1:28: No block can stand in one that takes the rest of a path."
        ),
        (
            "service firebase.storage { match /{a} { match /{a} { } } }",
            "1:41: The name 'a' is there twice on one path."
        ),
        ("service firebase.storage { match /a { allow reed; } }", "1:45: Unexpected 'reed', expected an operation."),
        ("service firebase.storage { match /a { allow read if true; } }", "1:50: Unexpected 'if', expected ';'."),
        ("service firebase.storage { match /a { allow read: true; } }", "1:51: Unexpected 'true', expected 'if'."),
        ("service firebase.storage { match /a { allow read: if x; } }", "1:54: Unknown variable 'x'."),
        ("service firebase.storage { match /a { allow read: if f(); } }", "1:54: Unknown function 'f'."),
        ("service firebase.storage { match /a { allow read: if 'a'.foo(); } }", "1:58: Unknown function 'foo'."),
        (
            "service firebase.storage { match /a { allow read: if 'a'.matches(); } }",
            "1:58: matches() takes 1 argument, not 0."
        ),
        (
            "service firebase.storage { match /a { allow read: if 'a'.matches('('); } }",
            "1:66: Invalid regular expression: a group has no end."
        ),
        ("service firebase.storage { match /a { allow read: if 1 === 1; } }", "1:56: Unexpected '===', expected ';'."),
        (
            "service firebase.storage { match /a { allow read: if true allow write; } }",
            "1:59: Unexpected 'allow', expected ';'."
        ),
        ("service firebase.storage { match /a { allow read", "1:49: Unexpected end of the text, expected ';'."),
        (
            "service firebase.storage { match /a { ",
            "1:39: Unexpected end of the text, expected 'allow', 'match' or 'function'."
        ),
        ("service firebase.storage { /* x", "1:28: A comment has no end."),
        ("function f(a, a) { return a; } service firebase.storage { }", "1:10: A parameter of 'f' is there twice."),
        (
            "function f() { return g(); } function g() { return f(); } service firebase.storage { }",
            "1:10: The function 'f' calls itself."
        ),
        (
            "function f() { return 1; } function f() { return 1; } service firebase.storage { }",
            "1:37: The function 'f' is there twice."
        ),
        (
            "function f() { let x = 1; return x; } service firebase.storage { }",
            "1:16: Unexpected 'let', expected 'return'."
        ),
        ("function f() { return a; } service firebase.storage { match /{a} { } }", "1:23: Unknown variable 'a'."),
        (
            "service firebase.storage { match /a { allow read; } } service firebase.storage { }",
            "1:55: Unexpected 'service', expected 'service firebase.storage'."
        ),
        (
            "service firebase.storage " + String(repeating: "{ match /a ", count: 10_000),
            "1:237: The blocks are nested more than 20 levels deep."
        ),
        (
            "service firebase.storage { match /a { allow read: if " + String(repeating: "(", count: 10_000),
            "1:104: The expression is nested more than 100 levels deep."
        ),
    ]

    @Test("bad rules are refused, with line and column", arguments: refused)
    func refuse(text: String, complaint: String) {
        do {
            _ = try StorageRules(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.message == complaint)
            #expect(error.code == .invalidRules)
        }
    }
}
