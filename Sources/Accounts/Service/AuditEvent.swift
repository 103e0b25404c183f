/// An event for the operator's audit log: an action of an administrator, or a refusal.
package struct AuditEvent: Hashable, Sendable {
    /// The requested operation.
    package let operation: IdentityOperation
    /// The outcome: `done`, or the code of the refusal, such as `USER_DISABLED`.
    package let outcome: String
    /// The internal reason of the outcome, which is not sent to callers; nil if there is none.
    package let reason: String?
    /// The account that an administrator named.
    package let uid: String?
    /// Whether the caller was an administrator.
    package let isAdmin: Bool
    /// The network address of the caller.
    package let address: String
}
