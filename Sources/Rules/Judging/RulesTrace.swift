/// The evaluation of a read or a write, rule by rule.
package struct RulesTrace: Sendable {
    /// A rule that was evaluated.
    package struct Evaluation: Sendable {
        package let rule: Rule
        /// The path of the rule in the document, such as `/posts/$post`.
        package let rulePath: String
        /// The path of the node that it was evaluated for.
        package let path: String
        /// Whether the rule was true.
        package let isTrue: Bool
        /// The reason why the evaluation of the rule ended early; nil if it did not.
        package let fault: String?
        /// The values of the rule's parts, in the order of their evaluation; constants are left out.
        package let values: [Value]
    }

    /// A part of a rule as it is written, and its value, such as `"anna"` or `true`.
    package struct Value: Sendable, Hashable {
        package let text: String
        package let value: String
        /// The bytes of the part in the rule's text; they include those of its own parts.
        package let range: Range<Int>

        /// Whether the part is a node of the tree, such as `data`, and not its value.
        var isNode: Bool { value == RuleValue.nodeWords }
    }

    /// The value of a part of a rule; without a position, the reason why the rule has no value.
    struct Part {
        let position: Int?
        let value: String
    }

    package let verdict: RulesVerdict
    package let evaluations: [Evaluation]
}

extension RulesTrace.Evaluation {
    init(_ rule: Rule, at path: [String], _ trail: [RulesNode], _ isTrue: Bool, _ parts: [RulesTrace.Part]) {
        self.rule = rule
        rulePath = trail.rulePath
        self.path = "/" + path.joined(separator: "/")
        self.isTrue = isTrue
        fault = parts.last.flatMap { $0.position == nil ? $0.value : nil }
        values = parts.compactMap { part in
            guard let position = part.position else { return nil }
            if case .constant = rule.program.operations[position] { return nil }
            return RulesTrace.Value(
                text: rule.text(of: position), value: part.value, range: rule.program.ranges[position])
        }
    }
}

extension Rule {
    /// Returns the text of a part of the expression.
    fileprivate func text(of position: Int) -> String {
        let utf8 = Array(text.utf8)
        return String(decoding: utf8[program.ranges[position].clamped(to: 0..<utf8.count)], as: UTF8.self)
    }
}

extension RuleValue {
    /// The longest string that is shown whole, in characters.
    private static let maxShown = 200
    fileprivate static let nodeWords = "a node"

    /// The value as text for people.
    var words: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): RuleText.text(of: number)
        case .string(let string): "\"\(string.prefix(Self.maxShown))\(string.count > Self.maxShown ? "…" : "")\""
        case .snapshot: Self.nodeWords
        case .structure: "an object"
        case .opaque: "an object"
        }
    }
}
