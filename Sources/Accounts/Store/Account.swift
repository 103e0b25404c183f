import Access
package import Cryptography
package import TreeModel

/// A person's account: their identity and their methods of sign-in.
package struct Account: Hashable, Sendable {
    /// The id: 1 to ``maxIDLength`` characters that a key of the tree may contain.
    package let uid: String
    /// The e-mail address, normalised; unique among all accounts.
    package var email: EmailAddress?
    /// Whether the person has proved that the address is theirs.
    package var isEmailVerified = false
    /// The name that others see.
    package var displayName: String?
    /// The URL of a picture.
    package var photoURL: String?
    /// The telephone number (E.164); unique among all accounts.
    package var phoneNumber: String?
    /// The hash of the password, in the format of `PasswordHash`; nil for none.
    package var passwordHash: Secret?
    /// The time at which the password was set.
    package var passwordChangedAt: Timestamp?
    /// Whether codes by e-mail sign the person in, without a password.
    package var signsInByEmailLink = false
    /// The identities with other providers that sign the person in, at most one of each provider.
    package var identities: [FederatedIdentity] = []
    /// The passkeys that sign the person in, at most ``Passkey/maxPerAccount``.
    package var passkeys: [Passkey] = []
    /// The claims that an administrator adds to each token: a JSON object as text; see `AccountClaims`.
    package var customClaims: String?
    /// Whether sign-ins to the account are refused.
    package var isDisabled = false
    /// Whether a custom token has signed the person in.
    package var signsInByCustomToken = false
    /// Whether the person created the account; false if an administrator or a service of the operator's created it.
    package var isSelfMade = false
    /// The time of the creation.
    package var createdAt: Timestamp
    /// The time of the last sign-in.
    package var lastSignInAt: Timestamp?
    /// The time at which the person last received an ID token, from a sign-in or a refresh.
    package var lastRefreshAt: Timestamp?
    /// The time before which tokens are revoked, in seconds since the epoch, as clients see it; some compare it with
    /// the time of a token's issue.
    package var validSinceSeconds: Int64
    /// The time of the earliest valid sign-in, in seconds since the epoch; tokens of earlier sign-ins are refused. It
    /// is usually one second after ``validSinceSeconds``, so that tokens of that same second are also refused.
    package var minSignInSeconds: Int64
    /// Whether this change ends all sessions; it is not stored.
    private(set) var endsSessions = false

    /// The longest id, in characters.
    package static let maxIDLength = 128

    /// Whether the account has no method of sign-in or contact, as for people who only look around.
    package var isAnonymous: Bool {
        email == nil && phoneNumber == nil && passwordHash == nil && identities.isEmpty && passkeys.isEmpty
            && !signsInByCustomToken
    }

    /// Adds an identity; replaces an earlier one of the same provider.
    mutating func link(_ identity: FederatedIdentity) {
        identities.removeAll { $0.provider == identity.provider }
        identities.append(identity)
    }

    /// Ends all sessions, and refuses all tokens of earlier sign-ins, including those of the current second. Sessions
    /// that are opened now therefore count as opened after it.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - seconds: The time before which tokens are revoked, in seconds since the epoch; nil for the current time.
    mutating func signOut(at now: Timestamp, beforeSeconds seconds: Int64? = nil) {
        let second = now.seconds
        // A time in the future would prevent sign-ins until then.
        let limit = min(seconds ?? second, second)
        guard limit >= validSinceSeconds else { return }
        validSinceSeconds = limit
        minSignInSeconds = max(minSignInSeconds, limit == second ? second + 1 : limit)
        endsSessions = true
    }
}

extension Account {
    package init(uid: String, createdAt: Timestamp) {
        let seconds = createdAt.seconds
        self.init(
            uid: uid, createdAt: createdAt, validSinceSeconds: seconds, minSignInSeconds: seconds)
    }

    /// Creates an account that a person has requested.
    init(selfMadeWith uid: String, createdAt: Timestamp) {
        self.init(uid: uid, createdAt: createdAt)
        isSelfMade = true
    }
}

/// The identity that a provider such as `google.com` vouches for.
package struct FederatedIdentity: Hashable, Sendable {
    /// The provider, such as `google.com`.
    package let provider: String
    /// The person's id with the provider.
    package let rawID: String
    /// The e-mail address that the provider reports.
    package var email: String?
    package var displayName: String?
    package var photoURL: String?

    /// The longest name of a provider and the longest id, in bytes.
    package static let maxBytes = 256

    package init(
        provider: String, rawID: String, email: String? = nil, displayName: String? = nil, photoURL: String? = nil
    ) {
        self.provider = provider
        self.rawID = rawID
        self.email = email
        self.displayName = displayName
        self.photoURL = photoURL
    }
}
