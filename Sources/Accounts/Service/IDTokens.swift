import Access
import TreeModel

/// The ID tokens of accounts: their claims and their verification.
struct IDTokens: Sendable {
    /// The largest age of a sign-in that suffices for sensitive changes, in seconds.
    static let maxRecentSeconds = 300

    let authority: TokenAuthority
    let store: AccountStore

    /// The content of a verified ID token.
    struct Proof: Sendable {
        let account: Account
        let claims: [String: JSONValue]

        /// The provider of the sign-in.
        var provider: String { claims["firebase"]?["sign_in_provider"]?.string ?? "custom" }
        /// The time of the sign-in, in seconds since the epoch.
        var signInSeconds: Int { claims["auth_time"]?.integer ?? 0 }

        /// Checks that it is still valid for the current account.
        ///
        /// - Throws: `USER_DISABLED` or `TOKEN_EXPIRED`.
        func check(against account: Account) throws(IdentityError) {
            guard !account.isDisabled else { throw .userDisabled }
            guard signInSeconds >= account.minSignInSeconds else { throw .tokenExpired }
        }
    }

    /// Verifies the `idToken` of a request.
    ///
    /// - Throws: `MISSING_ID_TOKEN`, `INVALID_ID_TOKEN`, `TOKEN_EXPIRED`, `USER_NOT_FOUND` or `USER_DISABLED`.
    func proof(in request: IdentityRequest) async throws(IdentityError) -> Proof {
        let token = try request.string("idToken", missing: "ID_TOKEN", maxBytes: 16 << 10)
        let claims: [String: JSONValue]
        do throws(AccessError) {
            claims = try authority.verify(token)
        } catch {
            switch error {
            case .expired, .revoked: throw .tokenExpired
            default: throw .invalidIDToken
            }
        }
        guard let uid = claims["sub"]?.string else { throw .invalidIDToken }
        guard let account = try await store.account(uid) else { throw .userNotFound }
        let proof = Proof(account: account, claims: claims)
        try proof.check(against: account)
        return proof
    }

    /// Checks that the person has signed in recently, so that a stolen token does not suffice to lock out its owner.
    /// Anonymous users are exempt, because they cannot sign in again.
    ///
    /// - Throws: `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkRecent(_ proof: Proof) throws(IdentityError) {
        let age = Int(store.now.seconds) - proof.signInSeconds
        guard proof.account.isAnonymous || age <= Self.maxRecentSeconds else {
            throw IdentityError("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    /// Checks that the person may change the methods of sign-in: a recent sign-in, by more than the picture of a class.
    /// Another child can guess the picture, and would take the account over for good.
    ///
    /// - Throws: `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`, or `OPERATION_NOT_ALLOWED` after a sign-in by a picture.
    func checkMayChangeSignIn(_ proof: Proof) throws(IdentityError) {
        guard proof.provider != ClassName.provider else {
            throw IdentityError("OPERATION_NOT_ALLOWED : A picture does not suffice for this")
        }
        try checkRecent(proof)
    }

    /// Returns the members of a response that contain the tokens of a signed-in user.
    func members(for signedIn: SignedIn) throws(IdentityError) -> [String: JSONValue] {
        [
            "idToken": .string(try idToken(for: signedIn)), "refreshToken": .string(signedIn.refreshToken.text),
            "expiresIn": .string(String(IdentitySettings.tokenLifetimeSeconds)),
        ]
    }

    /// Returns a new ID token.
    func idToken(for signedIn: SignedIn) throws(IdentityError) -> String {
        do {
            return try authority.issue(
                Self.claims(of: signedIn.account, in: signedIn.session),
                lifetimeSeconds: IdentitySettings.tokenLifetimeSeconds)
        } catch {
            throw .unavailable()
        }
    }

    /// Returns the claims of a token for an account, apart from those that the authority adds. Claims of the account
    /// take precedence over added claims.
    static func claims(of account: Account, in session: Session) -> [String: JSONValue] {
        claims(
            of: account, adding: AccountClaims.members(of: session.claims), provider: session.provider,
            signInSeconds: session.openedAt.seconds)
    }

    /// Returns the claims of a token for an account that signed in with a provider at a time, in seconds since the
    /// epoch.
    static func claims(
        of account: Account, adding added: [String: JSONValue], provider: String, signInSeconds: Int64
    ) -> [String: JSONValue] {
        var claims = added
        claims.merge(AccountClaims.members(of: account.customClaims)) { $1 }
        claims["name"] = account.displayName.map(JSONValue.string) ?? claims["name"]
        claims["picture"] = account.photoURL.map(JSONValue.string) ?? claims["picture"]
        claims["email"] = account.email.map { .string($0.description) }
        claims["email_verified"] = account.email.map { _ in .bool(account.isEmailVerified) }
        claims["phone_number"] = account.phoneNumber.map(JSONValue.string)
        claims["provider_id"] = provider == "anonymous" ? "anonymous" : nil
        claims["sub"] = .string(account.uid)
        claims["user_id"] = .string(account.uid)
        claims["auth_time"] = .integer(Int(signInSeconds))
        var identities: [String: JSONValue] = [:]
        identities["email"] = account.email.map { [.string($0.description)] }
        identities["phone"] = account.phoneNumber.map { [.string($0)] }
        for identity in account.identities { identities[identity.provider] = [.string(identity.rawID)] }
        claims["firebase"] = [
            "identities": .object(identities), "sign_in_provider": .string(provider),
        ]
        return claims
    }
}
