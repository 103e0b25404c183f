package import API
package import TreeModel

/// A decision about a post, as its upload's record keeps it.
package struct Moderation: Sendable, Hashable {
    package let decision: ModerationDecision
    /// Why; empty when nobody said.
    package let reason: String
    /// Milliseconds since the epoch.
    package let at: Int64

    package init(_ verdict: ModerationVerdict, at: Int64) {
        self.init(verdict.decision, reason: verdict.printableReason, at: at)
    }

    package init(_ decision: ModerationDecision, reason: String, at: Int64) {
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
