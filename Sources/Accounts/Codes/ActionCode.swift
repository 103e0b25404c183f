import TreeModel

/// A code that was sent by e-mail and permits its holder one action.
struct ActionCode: Hashable, Sendable {
    /// The kinds of codes, with their protocol names.
    enum Kind: String, Sendable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"

        /// The name of the kind in links.
        var mode: String {
            switch self {
            case .verifyEmail: "verifyEmail"
            case .resetPassword: "resetPassword"
            case .signIn: "signIn"
            case .changeEmail: "verifyAndChangeEmail"
            }
        }
    }

    /// An account between two ends of all its sessions: after such an end, it may belong to another person.
    struct Owner: Hashable, Sendable {
        let uid: String
        let minSignInSeconds: Int64

        init(uid: String, minSignInSeconds: Int64) {
            self.uid = uid
            self.minSignInSeconds = minSignInSeconds
        }

        init(_ account: Account) { self.init(uid: account.uid, minSignInSeconds: account.minSignInSeconds) }
    }

    /// The lifetime of a code: an hour.
    static let lifetime = Duration.seconds(3600)
    /// The largest number of valid codes of one address; a further one ends the oldest.
    static let maxLive = 5

    let kind: Kind
    /// The address that it was sent to, or the present address of the account whose address it changes.
    let email: EmailAddress
    /// The new address of the account; nil for other kinds.
    var newEmail: EmailAddress?
    /// The account that it belongs to; nil for a sign-in code, which belongs to an address.
    let owner: Owner?
    /// The time at which it expires.
    let expiresAt: Timestamp
}

extension ActionCode {
    init(_ kind: Kind, email: EmailAddress, newEmail: EmailAddress? = nil, owner: Owner?, at now: Timestamp) {
        self.init(
            kind: kind, email: email, newEmail: newEmail, owner: owner,
            expiresAt: now + Self.lifetime)
    }
}

// MARK: - Stored form, at a path that contains its hash

extension ActionCode: TreeRecord {
    static let form = RecordForm(
        Self.init(kind:email:newEmail:owner:expiresAt:), .init("kind", \.kind), .init("email", \.email),
        .init("new_email", \.newEmail), .init(partOf: \.owner), .init("expires", \.expiresAt))
}

extension ActionCode.Kind: FieldValue {}

extension ActionCode.Owner: TreeRecord {
    static let form = RecordForm(
        Self.init(uid:minSignInSeconds:), .init("uid", \.uid), .init("min_sign_in", \.minSignInSeconds))
}
