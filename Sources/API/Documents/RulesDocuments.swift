/// The result of checking a file of security rules.
package struct RulesCheckDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable { case accepted, refused }

    package let file: String
    package let outcome: Outcome
    /// The numbers of rules, indexes and times to live in the file; nil for storage rules, and for a file that was
    /// refused.
    package var rules: Int?
    package var indexes: Int?
    package var timesToLive: Int?
    /// The line and the column of the error, counted from 1, the column in characters, and the error's message; nil if
    /// the file was accepted.
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

/// A rule, and its position in the document.
package struct RuleDocument: Document {
    /// The operation that it decides: `.read`, `.write` or `.validate`.
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

/// The decision of the rules for one path.
package struct RulesPartDocument: Document {
    /// A rule that was evaluated.
    package struct Evaluation: Document {
        package let rule: RuleDocument
        /// The path of the node that it was evaluated for.
        package let path: String
        package let result: Bool
        /// The error that ended the evaluation early; nil if there was none.
        package let fault: String?
        /// The values of the rule's parts, in the order of their evaluation.
        package let values: [Value]

        package init(rule: RuleDocument, path: String, result: Bool, fault: String?, values: [Value]) {
            self.rule = rule
            self.path = path
            self.result = result
            self.fault = fault
            self.values = values
        }
    }

    /// A part of a rule, and its value.
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
    /// The decision in one line.
    package let explanation: String
    /// The rule that decided; absent if none granted.
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

/// The decision of the rules for an action, path by path.
package struct RulesExplanationDocument: Document {
    package let allowed: Bool
    /// The decisions by path; empty for the owner of the service, who is not bound by rules.
    package let paths: [RulesPartDocument]

    package init(allowed: Bool, paths: [RulesPartDocument]) {
        self.allowed = allowed
        self.paths = paths
    }
}

/// The result of a test case of rules.
package struct RulesCaseDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable { case passed, failed }
    package enum Verdict: String, Codable, CaseIterable, Sendable { case allow, deny }

    /// The number of the case, from 1, in the order of the file.
    package let number: Int
    package let name: String
    package let outcome: Outcome
    package let expected: Verdict
    package let result: Verdict
    /// The explanation of the rules' result; nil for a case that passed.
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

/// The numbers of cases that passed and failed.
package struct RulesSummaryDocument: Document {
    package let passed: Int
    package let failed: Int

    package init(passed: Int, failed: Int) {
        self.passed = passed
        self.failed = failed
    }
}

/// The differences between rules and those that replace them.
package struct RulesChangesDocument: Document {
    package struct Change: Document {
        /// `added`, `removed` or `changed`.
        package let change: String
        /// The path of the node in the document, such as `/posts/$post`.
        package let path: String
        /// The member, such as `.write` or `.indexOn`.
        package let member: String

        package init(change: String, path: String, member: String) {
            self.change = change
            self.path = path
            self.member = member
        }
    }

    /// The difference of a preset's storage rules from those before.
    package enum StorageRules: String, Codable, CaseIterable, Sendable { case changed, unchanged }

    package let changes: [Change]
    /// The preset that was set; absent for rules of a file. So are the storage rules.
    package var preset: String?
    package var storageRules: StorageRules?

    private enum CodingKeys: String, CodingKey {
        case changes, preset
        case storageRules = "storage_rules"
    }

    package init(changes: [Change]) { self.changes = changes }
}
