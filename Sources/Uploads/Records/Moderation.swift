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

    /// Reads a decision back; nil when it is none.
    init?(_ value: TreeValue) {
        guard let decision = value["decision"]?.stringValue.flatMap(ModerationDecision.init),
            let at = value["at"]?.integerValue
        else { return nil }
        self.decision = decision
        self.at = at
        reason = value["reason"]?.stringValue ?? ""
    }

    package var value: TreeValue {
        var fields: [TreeKey: TreeValue] = ["decision": .string(decision.rawValue), "at": .integer(at)]
        if !reason.isEmpty { fields["reason"] = .string(reason) }
        return .object(fields)
    }
}

extension ModerationVerdict {
    /// The reason as far as it is kept, without control characters; empty for none.
    package var printableReason: String { String((reason ?? "").printable.prefix(Self.maxReasonCharacters)) }
}
