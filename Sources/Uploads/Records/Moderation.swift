package import API
package import TreeModel

/// A moderator's decision about a post, as it is stored in the upload's record.
package struct Moderation: Sendable, Hashable {
    package let decision: ModerationDecision
    /// The reason; empty if none was given.
    package let reason: String
    /// The time of the decision.
    package let at: Timestamp

    package init(_ verdict: ModerationVerdict, at: Timestamp) {
        self.init(verdict.decision, reason: verdict.printableReason, at: at)
    }

    package init(_ decision: ModerationDecision, reason: String, at: Timestamp) {
        (self.decision, self.reason, self.at) = (decision, reason, at)
    }
}

extension Moderation: TreeRecord {
    package static let form = RecordForm(
        Self.init(_:reason:at:), .init("decision", \.decision), .init("reason", \.reason, default: ""),
        .init("at", \.at))
}

extension ModerationDecision: FieldValue {}

extension ModerationVerdict {
    /// The reason without control characters, shortened to the length that is stored; empty for none.
    package var printableReason: String { String((reason ?? "").printable.prefix(Self.maxReasonCharacters)) }
}
