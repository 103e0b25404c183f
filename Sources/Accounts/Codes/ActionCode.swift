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

    /// The time for which a code is good, in milliseconds: an hour.
    static let lifetimeMilliseconds: Int64 = 3_600_000
    /// The most codes of one address that are good at a time; a further one ends the oldest.
    static let maxLive = 5

    let kind: Kind
    /// The address that it was sent to, or that of the account that is to have a new one.
    let email: EmailAddress
    /// The address that the account is to have.
    var newEmail: EmailAddress?
    /// The account that it is about; nil for a code that signs in, which is about an address.
    let owner: Owner?
    /// The time until which it is good, in milliseconds since the epoch.
    let expiresMilliseconds: Int64

    init(_ kind: Kind, email: EmailAddress, newEmail: EmailAddress? = nil, owner: Owner?, at now: Int64) {
        self.kind = kind
        self.email = email
        self.newEmail = newEmail
        self.owner = owner
        expiresMilliseconds = now + Self.lifetimeMilliseconds
    }

    /// The code as it is stored, at a path that is made of its hash.
    var record: TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "kind": .string(kind.rawValue), "email": .string(email.description),
            "expires": .integer(expiresMilliseconds),
        ]
        fields["new_email"] = newEmail.map { .string($0.description) }
        fields["uid"] = owner.map { .string($0.uid) }
        fields["min_sign_in"] = owner.map { .integer($0.minSignInSeconds) }
        return .object(fields)
    }

    /// Reads a code back; nil when a field that each has is missing.
    init?(_ record: TreeValue) {
        guard let kind = record["kind"]?.stringValue.flatMap(Kind.init),
            let email = record["email"]?.stringValue.flatMap(EmailAddress.init),
            let expires = record["expires"]?.integerValue
        else { return nil }
        self.kind = kind
        self.email = email
        newEmail = record["new_email"]?.stringValue.flatMap(EmailAddress.init)
        owner = record["uid"]?.stringValue.flatMap { uid in
            record["min_sign_in"]?.integerValue.map { Owner(uid: uid, minSignInSeconds: $0) }
        }
        expiresMilliseconds = expires
    }
}
