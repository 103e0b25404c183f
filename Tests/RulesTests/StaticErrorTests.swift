import Testing

@testable import Rules

/// Errors that are found when rules are set, with their positions and messages.
@Suite struct StaticErrorTests {
    /// The column of the rule's first character in the document of ``RulesDocument/complaint(about:kind:)``.
    private static let firstColumn = 45

    typealias Case = (rule: String, offset: Int, complaint: String)

    static let types: [Case] = [
        ("7", 0, "The rule must be boolean."), ("'foo'", 0, "The rule must be boolean."),
        ("null", 0, "The rule must be boolean."), ("data", 0, "The rule must be boolean."),
        ("auth", 0, "The rule must be boolean."), ("auth.token.admin", 0, "The rule must be boolean."),
        ("data.val()", 0, "The rule must be boolean."), ("['a']", 0, "The rule must be boolean."),
        ("/a/", 0, "The rule must be boolean."), ("auth.a == 'one' ? 7 : true", 0, "The rule must be boolean."),
        ("auth && true", 0, "Left operand of && must be boolean."),
        ("true && 'a'", 8, "Right operand of && must be boolean."),
        ("true && true && 1", 16, "Right operand of && must be boolean."),
        ("1 || true", 0, "Left operand of || must be boolean."),
        ("false || data.val()", 9, "Right operand of || must be boolean."),
        ("!auth", 1, "Operand of ! must be boolean."),
        ("!'a'", 1, "Operand of ! must be boolean."), ("auth ? true : false", 0, "Condition of ? must be boolean."),
        ("-'a' == 1", 1, "Operand of - must be a number."), ("-true == 1", 1, "Operand of - must be a number."),
        ("root != null", 0, "Invalid != expression: left operand is not a number, boolean, string, or null."),
        ("null === root", 9, "Invalid == expression: right operand is not a number, boolean, string, or null."),
        ("/a/ == 'a'", 0, "Invalid == expression: left operand is not a number, boolean, string, or null."),
        ("'a' == ['a']", 7, "Invalid == expression: right operand is not a number, boolean, string, or null."),
        ("true + 1 == 2", 0, "Invalid + expression: left operand is not a number or string."),
        ("1 + null == 2", 4, "Invalid + expression: right operand is not a number or string."),
        ("'a' - 1 == 2", 0, "Invalid - expression: left operand is not a number."),
        ("1 * 'a' == 2", 4, "Invalid * expression: right operand is not a number."),
        ("1 % true == 2", 4, "Invalid % expression: right operand is not a number."),
        ("data.val() > true", 13, "Invalid > expression: right operand is not a number or string."),
        ("null <= 1", 0, "Invalid <= expression: left operand is not a number or string."),
        ("1 < 'a'", 0, "Invalid < expression: left and right operands are of different types."),
        ("now >= $item", 0, "Invalid >= expression: left and right operands are of different types."),
    ]

    static let names: [Case] = [
        ("skies === 'blue'", 0, "Unknown variable 'skies'."), ("$color == 'red'", 0, "Unknown variable '$color'."),
        ("query.orderByKey", 0, "Unknown variable 'query'."), ("undefined == null", 0, "Unknown variable 'undefined'."),
        ("true && foo()", 8, "Only methods can be called."), ("auth() == 1", 0, "Only methods can be called."),
        ("data.isArray()", 5, "No such method/property 'isArray'."),
        ("true == data.isArray()", 13, "No such method/property 'isArray'."),
        ("data.val().notFound == false", 11, "No such method/property 'notFound'."),
        ("data.length > 1", 5, "No such method/property 'length'."),
        ("'a'.foo == 1", 4, "No such method/property 'foo'."),
        ("now.length == 1", 4, "No such method/property 'length'."),
        ("true.length == 1", 5, "No such method/property 'length'."),
        ("null.a == null", 5, "No such method/property 'a'."),
        ("['a'].length == 1", 6, "No such method/property 'length'."),
        ("auth.foo.notFound() == false", 9, "No such method/property 'notFound'."),
        ("auth.foo.exists()", 9, "No such method/property 'exists'."),
        ("data['isArray']()", 5, "No such method/property 'isArray'."),
        ("auth['a']['exists']()", 10, "No such method/property 'exists'."),
        ("data['exi' + 'sts']()", 5, "Invalid property access."), ("data[$item]()", 5, "Invalid property access."),
        ("data[0] == 1", 5, "Invalid property access."), ("auth[null] == 1", 5, "Invalid property access."),
        ("auth[data] == 1", 5, "Invalid property access."),
        ("data.exists == true", 5, "The method 'exists' has to be called."),
        ("'a'.contains == 1", 4, "The method 'contains' has to be called."),
        ("'a'.length() == 1", 4, "'length' is not a method."),
    ]

    static let arguments: [Case] = [
        ("data.exists(1)", 5, "exists() takes 0 arguments, not 1."),
        ("data.child()", 5, "child() takes 1 argument, not 0."),
        ("data.child('a', 'b').exists()", 5, "child() takes 1 argument, not 2."),
        ("'a'.replace('b') == 'a'", 4, "replace() takes 2 arguments, not 1."),
        ("data.child(1).exists()", 11, "Argument 1 of child() must be a string."),
        ("data.hasChild(null)", 14, "Argument 1 of hasChild() must be a string."),
        ("auth.foo.contains(7)", 18, "Argument 1 of contains() must be a string."),
        ("'a'.replace('a', true) == 'b'", 17, "Argument 2 of replace() must be a string."),
        ("data.hasChildren('a')", 5, "hasChildren() takes one list of one or more strings."),
        ("data.hasChildren('foo', 'bar')", 5, "hasChildren() takes one list of one or more strings."),
        ("data.hasChildren([])", 5, "hasChildren() takes one list of one or more strings."),
        ("data.hasChildren(['foo', 7])", 25, "hasChildren() takes a list of strings."),
        ("'a'.matches('/a/')", 12, "Argument 1 of matches() must be a regular expression literal."),
        ("'a'.matches(auth.a)", 12, "Argument 1 of matches() must be a regular expression literal."),
        ("'a'.matches(/a/ig)", 15, "Invalid flags 'ig' of a regular expression."),
        ("'a'.matches(/a$b/)", 14, "Invalid regular expression: '$' stands only at the end."),
        ("'a'.matches(/a||b/)", 15, "Invalid regular expression: an empty alternative."),
        ("'a'.matches(/(?=a/)", 13, "Invalid regular expression: a group has no end."),
        ("'a'.matches(/é\\1/)", 14, "Invalid regular expression: an unknown escape '\\1'."),
    ]

    static let syntax: [Case] = [
        ("", 0, "Unexpected end of the text."), ("true true", 5, "Unexpected 'true'."),
        ("(true", 5, "Unexpected end of the text, expected ')'."),
        ("true)", 4, "Unexpected ')'."), ("1 +", 3, "Unexpected end of the text."),
        ("data.", 5, "Unexpected end of the text, expected a name."),
        ("data.5", 4, "Unexpected '.5'."), ("root = 5", 5, "Unexpected '='."), ("var foo = 8", 4, "Unexpected 'foo'."),
        ("auth.uid === '5'; true", 16, "Unexpected ';'."), ("(2**2) == 4", 3, "Unexpected '*'."),
        ("true & true", 5, "Unexpected character '&'."),
        ("'abc", 0, "A string has no end."), ("true && \"a", 8, "A string has no end."),
        ("'a\\", 2, "A string has no end."),
        ("'\\xZ1' == ''", 1, "Invalid escape in a string."), ("'\\ud83d' == ''", 1, "Invalid escape in a string."),
        ("'\\8' == ''", 1, "Invalid escape in a string."), ("3a == 3", 0, "Invalid number."),
        ("1e == 1", 0, "Invalid number."),
        ("0x == 1", 0, "Invalid number."), ("true ? true", 11, "Unexpected end of the text, expected ':'."),
        ("data.child('a' 'b').exists()", 15, "Unexpected ''b'', expected ','."),
        ("a#b", 1, "Unexpected character '#'."),
        ("'a'.matches(/a", 12, "A regular expression has no end."),
        ("'a'.matches(/[/]/", 17, "Unexpected end of the text, expected ','."),
        ("'ü€😀' == bad", 9, "Unknown variable 'bad'."), ("+1 == 1", 0, "Unexpected '+'."),
        ("[true, ] == 1", 7, "Unexpected ']'."),
    ]

    static let all: [Case] = [types, names, arguments, syntax].flatMap(\.self)

    @Test("an invalid rule is refused, with the position of its error", arguments: all)
    func refuse(rule: String, offset: Int, complaint: String) throws {
        // The document contains escapes before some positions.
        let escapes = rule.unicodeScalars.prefix(offset).count { $0 == "\"" || $0 == "\\" }
        #expect(try RulesDocument.complaint(about: rule) == "1:\(Self.firstColumn + offset + escapes): \(complaint)")
    }

    @Test("newData is available to writes, and the query to reads")
    func variables() throws {
        #expect(try RulesDocument.complaint(about: "newData.exists()", kind: ".write") == nil)
        #expect(try RulesDocument.complaint(about: "newData.exists()", kind: ".validate") == nil)
        let complaint = try RulesDocument.complaint(about: "newData.exists()", kind: ".read")
        #expect(complaint == "1:44: Unknown variable 'newData'.")
        #expect(try RulesDocument.complaint(about: "query.orderByKey", kind: ".read") == nil)
        #expect(
            try RulesDocument.complaint(about: "query.foo == 1", kind: ".read")
                == "1:50: No such method/property 'foo'.")
        #expect(try RulesDocument.complaint(about: "query == null", kind: ".read")?.contains("Invalid ==") == true)
    }

    static let documents: [(text: String, complaint: String)] = [
        (
            "{\"rules\": {\n  \"é\": {\n    \".read\": \"true &&\\n \\u0061uth\"}}}",
            "3:25: Right operand of && must be boolean."
        ),
        ("{\"rules\": {/* é */ \".read\": \"'\\\"\\\\\\\\' == x\"}}", "1:42: Unknown variable 'x'."),
        ("{\"rules\": {\n// no\n\".read\": \"'\\ud83d\\ude00' == x\"}}", "3:29: Unknown variable 'x'."),
        ("{\"rules\": {\".read\": \"\"}}", "1:22: Unexpected end of the text."),
        (
            "{\"rules\": {\"$a\": {\"$b\": {\".write\": \"$a == $b\"}, \".write\": \"$a == $b\"}}}",
            "1:66: Unknown variable '$b'."
        ),
        ("{\"rules\": {\"a\": {\".read\": \"1\"}, \"b\": {\".reed\": true}}}", "1:28: The rule must be boolean."),
    ]

    @Test("positions are those in the document, after comments and escapes", arguments: documents)
    func places(text: String, complaint: String) {
        #expect(RulesDocument.complaint(aboutDocument: text) == complaint)
    }

    static let limits: [(rule: String, complaint: String?)] = [
        (String(repeating: "(", count: 40) + "true" + String(repeating: ")", count: 40), nil),
        (String(repeating: "(", count: 100_000), "nested more than 100 levels"),
        (String(repeating: "!", count: 98) + "true", nil),
        (String(repeating: "!", count: 100_000), "nested more than 100 levels"),
        (String(repeating: "-", count: 100_000), "nested more than 100 levels"),
        (String(repeating: "[", count: 100_000), "nested more than 100 levels"),
        (String(repeating: "true ? true : ", count: 40) + "true", nil),
        (String(repeating: "true ? ", count: 100_000), "nested more than 100 levels"),
        ("data" + String(repeating: ".parent()", count: 40) + ".exists()", nil),
        ("data" + String(repeating: ".parent()", count: 60_000) + ".exists()", "nested more than 100 levels"),
        ("1" + String(repeating: " + 1", count: 90) + " == 91", nil),
        ("1" + String(repeating: " + 1", count: 60_000) + " == 60001", "nested more than 100 levels"),
        (Array(repeating: "true", count: 4000).joined(separator: "&&"), nil),
        (Array(repeating: "false", count: 4000).joined(separator: " || "), nil),
        (Array(repeating: "true", count: 60_000).joined(separator: "&&"), "more than 5000 parts"),
    ]

    @Test("the depth and the length of an expression have limits", arguments: limits)
    func limit(rule: String, complaint: String?) throws {
        let found = try RulesDocument.complaint(about: rule)
        guard let complaint else {
            #expect(found == nil)
            _ = try Scene().outcome(of: rule)
            return
        }
        #expect(found?.contains(complaint) == true)
    }
}
