import Access
package import Cryptography
package import TreeModel

/// A person's account: who they are here, and what they sign in with.
package struct Account: Hashable, Sendable {
    /// The id, 1 to ``maxIDLength`` characters of what a key of the tree may have.
    package let uid: String
    /// The e-mail address, normalised; no other account has it.
    package var email: EmailAddress?
    /// Whether somebody proved that the address is theirs.
    package var isEmailVerified = false
    /// The name that others see.
    package var displayName: String?
    /// The address of a picture.
    package var photoURL: String?
    /// The telephone number (E.164); no other account has it.
    package var phoneNumber: String?
    /// The hash of the password, as `PasswordHash` writes it; nil for none.
    package var passwordHash: Secret?
    /// The time at which the password was set.
    package var passwordChangedAt: Timestamp?
    /// Whether codes by e-mail let the person in, without a password.
    package var signsInByEmailLink = false
    /// The identities elsewhere that let the person in, at most one of each provider.
    package var identities: [FederatedIdentity] = []
    /// Claims that an administrator adds to each token: a JSON object as text, see `AccountClaims`.
    package var customClaims: String?
    /// Whether the account lets nobody in.
    package var isDisabled = false
    /// Whether a custom token let the person in.
    package var signsInByCustomToken = false
    /// Whether the person made the account: it was not made for them by an administrator, or by a service of the operator's.
    package var isSelfMade = false
    /// The time of the creation.
    package var createdAt: Timestamp
    /// The time of the last sign-in.
    package var lastSignInAt: Timestamp?
    /// The time at which the person last got an ID token, be it by a sign-in or a refresh.
    package var lastRefreshAt: Timestamp?
    /// The time before which tokens are revoked, in seconds since the epoch, as others are told, some of whom compare it
    /// with when a token was issued.
    package var validSinceSeconds: Int64
    /// The time, in seconds since the epoch, from which on sign-ins count: tokens of those before are refused here. It is
    /// mostly the second after the one above, so that no token of that very second counts.
    package var minSignInSeconds: Int64
    /// Whether this is a change that ends all sessions; no part of what is stored.
    private(set) var endsSessions = false

    /// The longest id, in characters.
    package static let maxIDLength = 128

    /// Whether nothing says who the person is, as with the accounts of people who only look around.
    package var isAnonymous: Bool {
        email == nil && phoneNumber == nil && passwordHash == nil && identities.isEmpty && !signsInByCustomToken
    }

    /// Adds an identity, in place of the one that the provider has given before.
    mutating func link(_ identity: FederatedIdentity) {
        identities.removeAll { $0.provider == identity.provider }
        identities.append(identity)
    }

    /// Ends all sessions, and refuses all tokens of sign-ins so far: those of this very second, too, for which reason
    /// sessions that are opened now count as opened when it is over.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - seconds: The time before which tokens are revoked, in seconds since the epoch; nil for now.
    mutating func signOut(at now: Timestamp, beforeSeconds seconds: Int64? = nil) {
        let second = now.seconds
        // No time of the future: nobody could sign in until then.
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

    /// Makes an account that a person has asked for.
    init(selfMadeWith uid: String, createdAt: Timestamp) {
        self.init(uid: uid, createdAt: createdAt)
        isSelfMade = true
    }
}

/// The identity that a provider such as `google.com` vouches for.
package struct FederatedIdentity: Hashable, Sendable {
    /// The provider, such as `google.com`.
    package let provider: String
    /// The person's id there.
    package let rawID: String
    /// The address as the provider has it.
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
