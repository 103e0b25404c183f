/// The public data of an account that is written or deleted.
package struct ShownAccount: Sendable {
    package let uid: String
    /// The account's name; nil if it has none.
    package let name: String?
    /// The previous name; nil also for a new account.
    package let formerName: String?
    /// The URL of the account's picture.
    package let photoURL: String?
    /// Whether the person created the account; see ``Account/isSelfMade``.
    package let isSelfMade: Bool
    /// Whether the account is anonymous; see ``Account/isAnonymous``.
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
