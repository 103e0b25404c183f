import TreeModel

/// What a code that was sent by e-mail lets whoever has it do, once.
struct ActionCode: Hashable, Sendable {
    /// The kinds of codes, with the words of the protocol.
    enum Kind: String, Sendable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"

        /// The word for it in links.
        var mode: String {
            switch self {
            case .verifyEmail: "verifyEmail"
            case .resetPassword: "resetPassword"
            case .signIn: "signIn"
            case .changeEmail: "verifyAndChangeEmail"
            }
        }
    }

    /// An account, in the hands of whoever has it now: once its sessions are ended, it is another owner's.
    struct Owner: Hashable, Sendable {
        let uid: String
        let minSignInSeconds: Int64

        init(uid: String, minSignInSeconds: Int64) {
            self.uid = uid
            self.minSignInSeconds = minSignInSeconds
        }

        init(_ account: Account) { self.init(uid: account.uid, minSignInSeconds: account.minSignInSeconds) }
    }

    /// The time for which a code is good: an hour.
    static let lifetime = Duration.seconds(3600)
    /// The most codes of one address that are good at a time; a further one ends the oldest.
    static let maxLive = 5

    let kind: Kind
    /// The address that it was sent to, or that of the account that is to have a new one.
    let email: EmailAddress
    /// The address that the account is to have.
    var newEmail: EmailAddress?
    /// The account that it is about; nil for a code that signs in, which is about an address.
    let owner: Owner?
    /// The time until which it is good.
    let expiresAt: Timestamp
}

extension ActionCode {
    init(_ kind: Kind, email: EmailAddress, newEmail: EmailAddress? = nil, owner: Owner?, at now: Timestamp) {
        self.init(
            kind: kind, email: email, newEmail: newEmail, owner: owner,
            expiresAt: now + Self.lifetime)
    }
}

// MARK: - As it is stored, at a path that is made of its hash

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
