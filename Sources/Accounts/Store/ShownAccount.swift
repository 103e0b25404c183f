/// The public side of an account that is written.
package struct ShownAccount: Sendable {
    package let uid: String
    /// The account's name; nil when it has none.
    package let name: String?
    /// The name that it had before; nil also for a new account.
    package let formerName: String?
    /// The address of the account's picture.
    package let photoURL: String?
}
