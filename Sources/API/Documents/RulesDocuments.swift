/// How a file of security rules was checked.
package struct RulesCheckDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable { case accepted, refused }

    package let file: String
    package let outcome: Outcome
    /// What there is in a file that was accepted.
    package var rules: Int?
    package var indexes: Int?
    package var timesToLive: Int?
    /// Where a file that was refused is at fault, from 1; columns are in characters.
    package var line: Int?
    package var column: Int?
    package var message: String?

    private enum CodingKeys: String, CodingKey {
        case file, outcome, rules, indexes
        case timesToLive = "times_to_live"
        case line, column, message
    }

    package init(file: String, outcome: Outcome) {
        self.file = file
        self.outcome = outcome
    }
}

/// A rule, and where it stands.
package struct RuleDocument: Document {
    /// What it decides on: `.read`, `.write` or `.validate`.
    package let kind: String
    /// The path of its node in the document, such as `/posts/$post`.
    package let path: String
    package let line: Int
    package let column: Int
    package let text: String

    package init(kind: String, path: String, line: Int, column: Int, text: String) {
        self.kind = kind
        self.path = path
        self.line = line
        self.column = column
        self.text = text
    }
}

/// How rules judged one path.
package struct RulesPartDocument: Document {
    /// A rule that was evaluated.
    package struct Evaluation: Document {
        package let rule: RuleDocument
        /// The path of the node that it was evaluated for.
        package let path: String
        package let result: Bool
        /// Why it could not be evaluated to its end.
        package let fault: String?
        /// What its parts came to, in the order in which they were evaluated.
        package let values: [Value]

        package init(rule: RuleDocument, path: String, result: Bool, fault: String?, values: [Value]) {
            self.rule = rule
            self.path = path
            self.result = result
            self.fault = fault
            self.values = values
        }
    }

    /// A part of a rule, and what it came to.
    package struct Value: Document {
        package let text: String
        package let value: String

        package init(text: String, value: String) {
            self.text = text
            self.value = value
        }
    }

    package let path: String
    package let allowed: Bool
    /// The decision in a line.
    package let explanation: String
    /// The rule that decided; absent when none granted.
    package let rule: RuleDocument?
    package let evaluations: [Evaluation]

    package init(
        path: String, allowed: Bool, explanation: String, rule: RuleDocument?, evaluations: [Evaluation]
    ) {
        self.path = path
        self.allowed = allowed
        self.explanation = explanation
        self.rule = rule
        self.evaluations = evaluations
    }
}

/// How rules judged an action, path by path.
package struct RulesExplanationDocument: Document {
    package let allowed: Bool
    /// Empty for the owner of the service, whom no rule binds.
    package let paths: [RulesPartDocument]

    package init(allowed: Bool, paths: [RulesPartDocument]) {
        self.allowed = allowed
        self.paths = paths
    }
}

/// A case that was tried on rules.
package struct RulesCaseDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable { case passed, failed }
    package enum Verdict: String, Codable, CaseIterable, Sendable { case allow, deny }

    /// From 1, in the order of the file.
    package let number: Int
    package let name: String
    package let outcome: Outcome
    package let expected: Verdict
    package let result: Verdict
    /// How the rules came to the result of a case that failed.
    package let explanation: RulesExplanationDocument?

    package init(
        number: Int, name: String, outcome: Outcome, expected: Verdict, result: Verdict,
        explanation: RulesExplanationDocument?
    ) {
        self.number = number
        self.name = name
        self.outcome = outcome
        self.expected = expected
        self.result = result
        self.explanation = explanation
    }
}

/// The numbers of cases that were as expected, and that were not.
package struct RulesSummaryDocument: Document {
    package let passed: Int
    package let failed: Int

    package init(passed: Int, failed: Int) {
        self.passed = passed
        self.failed = failed
    }
}

/// What became different when rules were replaced.
package struct RulesChangesDocument: Document {
    package struct Change: Document {
        /// `added`, `removed` or `changed`.
        package let change: String
        /// The path of the node in the document, such as `/posts/$post`.
        package let path: String
        /// Such as `.write` or `.indexOn`.
        package let member: String

        package init(change: String, path: String, member: String) {
            self.change = change
            self.path = path
            self.member = member
        }
    }

    package let changes: [Change]

    package init(changes: [Change]) { self.changes = changes }
}
