package import API
package import TreeModel

/// A decision about a post, as its upload's record keeps it.
package struct Moderation: Sendable, Hashable {
    package let decision: ModerationDecision
    /// Why; empty when nobody said.
    package let reason: String
    /// When it was made.
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
    /// The reason as far as it is kept, without control characters; empty for none.
    package var printableReason: String { String((reason ?? "").printable.prefix(Self.maxReasonCharacters)) }
}
