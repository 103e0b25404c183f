/// Something about accounts that the operator may want to know later: an act of an administrator, or a refusal.
package struct AuditEvent: Hashable, Sendable {
    /// What was to be done.
    package let operation: IdentityOperation
    /// What came of it: `done`, or the code of the refusal, such as `USER_DISABLED`.
    package let outcome: String
    /// The account, as far as it is known.
    package let uid: String?
    /// Whether it was an administrator.
    package let isAdmin: Bool
    /// The address of whoever asked.
    package let address: String
}
