/// Something about accounts that the operator may want to know later: an act of an administrator, or a refusal.
package struct AuditEvent: Hashable, Sendable {
    /// What was to be done.
    package let operation: IdentityOperation
    /// What came of it: `done`, or the code of the refusal, such as `USER_DISABLED`.
    package let outcome: String
    /// What is behind the outcome, where there is more to say than callers are told.
    package let reason: String?
    /// The account that an administrator named.
    package let uid: String?
    /// Whether it was an administrator.
    package let isAdmin: Bool
    /// The address of whoever asked.
    package let address: String
}
