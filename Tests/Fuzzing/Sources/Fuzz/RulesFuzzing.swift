@testable import Rules
@testable import TreeModel

/// Security rules and regular expressions under hostile bytes.
enum RulesFuzzing {
    /// Tests the bytes as a rules document, as an expression of one, and as storage rules.
    static func takeRules(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let document = try? RulesDocument(text) {
            let stripped = String(decoding: document.json, as: UTF8.self)
            guard (try? RulesDocument(stripped)) != nil else {
                fatalError("a document without its comments is refused")
            }
            judge(by: document)
        }
        if let rules = try? StorageRules(text) { judge(by: rules) }
        var json: [UInt8] = []
        JSONText.append(text.utf8.span, to: &json)
        let rule = String(decoding: json, as: UTF8.self)
        for node in ["\".read\":\(rule)", "\".write\":\(rule)", "\".write\":true,\".validate\":\(rule)"] {
            if let document = try? RulesDocument("{\"rules\":{\"$a\":{\"$b\":{\(node)}}}}") { judge(by: document) }
        }
    }

    private static func judge(by rules: StorageRules) {
        let subject = RulesSubject(auth: ["uid": "a", "token": ["list": [1, "a"]]], now: Timestamp(milliseconds: 1))
        let resource = StorageResource(name: "a/b/c", bucket: "b", size: 1, contentType: "image/jpeg")
        for operation in StorageOperation.allCases {
            _ = rules.judge(
                operation, of: resource.name, in: "b", by: subject, resource: resource, newResource: resource)
        }
    }

    private static func judge(by document: RulesDocument) {
        let subject = RulesSubject(
            auth: ["uid": "b", "token": ["admin": true, "list": [1, "a"]]], now: Timestamp(milliseconds: 1))
        let path = ["a", "b"]
        guard let before = try? JSONRulesTree(["a": ["b": ["c": "text", "d": 1]]]),
            let after = try? JSONRulesTree(["a": ["b": ["c": "new", "d": 2, "e": ["f": true]]]]),
            let read = try? document.judgeRead(at: path, by: subject, in: before.data),
            let readTrace = try? document.explainRead(at: path, by: subject, in: before.data),
            let write = try? document.judgeWrite(at: path, by: subject, before: before.data, after: after.data),
            let writeTrace = try? document.explainWrite(at: path, by: subject, before: before.data, after: after.data)
        else { fatalError("rules fail instead of refusing") }
        guard read.explanation == readTrace.verdict.explanation, write.explanation == writeTrace.verdict.explanation
        else { fatalError("the explanation of rules differs from their result") }
    }

    /// Tests a regular expression. The first byte is the kind, all others up to the first zero the expression, and the rest the
    /// text.
    static func takeRegularExpression(_ bytes: [UInt8]) {
        guard let kind = bytes.first else { return }
        let parts = bytes.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let pattern = String(decoding: parts[0], as: UTF8.self)
        let text = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
        let dialect: RegularExpression.Dialect = kind & 2 == 0 ? .database : .storage
        var parser = RegularExpressionParser(pattern, isCaseInsensitive: kind & 1 == 1, dialect: dialect)
        guard let tree = try? parser.parse(), let automaton = try? Automaton(tree, isWhole: dialect == .storage),
            let expression = try? RegularExpression(pattern, isCaseInsensitive: kind & 1 == 1, dialect: dialect)
        else { return }
        var (budget, other) = (300_000, 300_000)
        let matches = expression.matches(text, budget: &budget)
        let utf8 = Array(text.utf8)
        guard let same = automaton.matches(utf8.span, budget: &other) else { return }
        guard matches == same else { fatalError("a table matches differently from its automaton") }
    }
}
