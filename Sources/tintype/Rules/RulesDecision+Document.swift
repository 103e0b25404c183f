import API
import Rules

extension RulesDecision {
    /// The decision as a document for programs.
    var document: RulesExplanationDocument {
        RulesExplanationDocument(allowed: isAllowed, paths: parts.map(\.document))
    }
}

extension RulesDecision.Part {
    fileprivate var document: RulesPartDocument {
        let verdict = trace.verdict
        return RulesPartDocument(
            path: "\(path)", allowed: verdict.isAllowed, explanation: verdict.explanation,
            rule: verdict.rule.map { RuleDocument($0, at: verdict.rulePath ?? "") },
            evaluations: trace.evaluations.map(RulesPartDocument.Evaluation.init))
    }
}

extension RulesPartDocument.Evaluation {
    fileprivate init(_ evaluation: RulesTrace.Evaluation) {
        self.init(
            rule: RuleDocument(evaluation.rule, at: evaluation.rulePath), path: evaluation.path,
            result: evaluation.isTrue, fault: evaluation.fault,
            values: evaluation.values.map { RulesPartDocument.Value(text: $0.text, value: $0.value) })
    }
}

extension RuleDocument {
    fileprivate init(_ rule: Rule, at path: String) {
        self.init(kind: rule.kind.rawValue, path: path, line: rule.line, column: rule.column, text: rule.text)
    }
}
