import API
import Rules
import Uploads

/// The explanation of a decision by rules, for people: the rule that decided, and the values of its parts.
///
///     /posts/p1: refused: no rule grants it
///       .write of /posts/$post (4:7) is false at /posts/p1
///         auth.uid === data.child('author').val()   false
///           auth.uid                                "anna"
///             auth                                  an object
///           data.child('author').val()              "maria"
struct ExplanationText {
    /// The largest width of a part and of the column of parts, in characters.
    private static let maxWidth = 72
    /// The largest number of other rules that are listed.
    private static let maxOthers = 20

    private(set) var lines: [String] = []

    init(_ decision: RulesDecision) {
        guard !decision.parts.isEmpty else {
            lines = ["allowed: no rule binds the owner of the service"]
            return
        }
        for part in decision.parts { add(part) }
        lines = lines.map(\.printable)
    }

    private mutating func add(_ part: RulesDecision.Part) {
        let (verdict, evaluations) = (part.trace.verdict, part.trace.evaluations)
        lines.append("\(part.path): \(verdict.explanation)")
        guard let rule = verdict.rule else {
            if evaluations.isEmpty { lines.append("  there is no rule for it on the path from / to \(part.path)") }
            // Any of them could have granted it.
            return evaluations.forEach { add($0, isWhole: true) }
        }
        let decisive = evaluations.lastIndex { $0.rule === rule }
        for (index, evaluation) in evaluations.enumerated() where index == decisive { add(evaluation, isWhole: true) }
        let others = evaluations.enumerated().filter { $0.offset != decisive }.map(\.element)
        others.prefix(Self.maxOthers).forEach { add($0, isWhole: false) }
        if others.count > Self.maxOthers { lines.append("  … and \(others.count - Self.maxOthers) more rules") }
    }

    /// Adds a rule, with its parts if `isWhole` is true.
    private mutating func add(_ evaluation: RulesTrace.Evaluation, isWhole: Bool) {
        let rule = evaluation.rule
        let fault = evaluation.fault.map { ": \($0)" } ?? ""
        lines.append(
            "  \(rule.kind.rawValue) of \(evaluation.rulePath) (\(rule.line):\(rule.column)) is \(evaluation.isTrue)"
                + " at \(evaluation.path)\(fault)")
        guard isWhole else { return }
        let parts = evaluation.outline.map { (text: Self.indented($0), value: $0.value) }
        let width = parts.map(\.text.count).max() ?? 0
        if parts.isEmpty { lines.append("    \(Self.line(rule.text))") }
        for part in parts {
            lines.append("    \(part.text)\(String(repeating: " ", count: width - part.text.count))   \(part.value)")
        }
    }

    private static func indented(_ part: RulesOutline) -> String {
        let text = String(repeating: " ", count: 2 * min(part.depth, 16)) + line(part.text)
        return text.count <= maxWidth ? text : text.prefix(maxWidth - 1) + "…"
    }

    /// Returns a text on one line.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
