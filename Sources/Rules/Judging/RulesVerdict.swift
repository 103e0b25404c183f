/// The decision about a read or a write, and the rule behind it.
package struct RulesVerdict: Sendable {
    package let isAllowed: Bool
    /// The rule that decided: the one that granted, or the `.validate` that refused; nil if no rule granted.
    package let rule: Rule?
    /// The nodes of the rules on the path to that rule.
    private let trail: [RulesNode]

    init(isAllowed: Bool, rule: Rule? = nil, trail: [RulesNode] = []) {
        self.isAllowed = isAllowed
        self.rule = rule
        self.trail = trail
    }

    /// The path of the rule in the document, such as `/posts/$post`; nil if no rule decided.
    package var rulePath: String? { rule.map { _ in trail.rulePath } }

    /// The decision in one line, such as `refused by .validate of /posts/$post (12:9)`.
    package var explanation: String {
        guard let rule, let rulePath else { return isAllowed ? "allowed" : "refused: no rule grants it" }
        let place = "\(rule.kind.rawValue) of \(rulePath) (\(rule.line):\(rule.column))"
        return "\(isAllowed ? "granted" : "refused") by \(place)"
    }
}

extension [RulesNode] {
    /// The path of the last node in the document.
    var rulePath: String {
        let names = dropFirst().map { "/\($0.name)" }.joined()
        return names.isEmpty ? "/" : names
    }
}
