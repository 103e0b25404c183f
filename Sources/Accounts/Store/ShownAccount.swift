/// The public side of an account that is written, or deleted.
package struct ShownAccount: Sendable {
    package let uid: String
    /// The account's name; nil when it has none.
    package let name: String?
    /// The name that it had before; nil also for a new account.
    package let formerName: String?
    /// The address of the account's picture.
    package let photoURL: String?
    /// Whether the person made the account; see ``Account/isSelfMade``.
    package let isSelfMade: Bool
    /// Whether nothing says who the person is.
    package let isAnonymous: Bool
    /// Whether the account is deleted.
    package let isDeleted: Bool

    init(_ account: Account, formerName: String? = nil, isDeleted: Bool = false) {
        uid = account.uid
        name = account.displayName
        self.formerName = formerName
        photoURL = account.photoURL
        isSelfMade = account.isSelfMade
        isAnonymous = account.isAnonymous
        self.isDeleted = isDeleted
    }
}
