import Access
import TreeModel

/// The ID tokens of accounts: what they claim, and what they prove.
struct IDTokens: Sendable {
    /// The age of a sign-in that still proves who is there when something is changed that keeps others out, in seconds.
    static let maxRecentSeconds = 300

    let authority: TokenAuthority
    let store: AccountStore

    /// What an ID token proves.
    struct Proof: Sendable {
        let account: Account
        let claims: [String: JSONValue]

        /// What the person signed in with.
        var provider: String { claims["firebase"]?["sign_in_provider"]?.string ?? "custom" }
        /// The time of the sign-in, in seconds since the epoch.
        var signInSeconds: Int { claims["auth_time"]?.integer ?? 0 }

        /// Makes sure that it is good for an account as that is now.
        ///
        /// - Throws: `USER_DISABLED` or `TOKEN_EXPIRED`.
        func check(against account: Account) throws(IdentityError) {
            guard !account.isDisabled else { throw .userDisabled }
            guard signInSeconds >= account.minSignInSeconds else { throw .tokenExpired }
        }
    }

    /// What the `idToken` of a request proves.
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

    /// Makes sure that the person has signed in a short time ago, so that a token that was stolen is not enough to keep
    /// its owner out. Who is anonymous could not sign in again.
    ///
    /// - Throws: `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`.
    func checkRecent(_ proof: Proof) throws(IdentityError) {
        let age = Int(store.now.seconds) - proof.signInSeconds
        guard proof.account.isAnonymous || age <= Self.maxRecentSeconds else {
            throw IdentityError("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    /// The members of an answer that hold the tokens of somebody who has signed in.
    func members(for signedIn: SignedIn) throws(IdentityError) -> [String: JSONValue] {
        [
            "idToken": .string(try idToken(for: signedIn)), "refreshToken": .string(signedIn.refreshToken.text),
            "expiresIn": .string(String(IdentitySettings.tokenLifetimeSeconds)),
        ]
    }

    /// A new ID token.
    func idToken(for signedIn: SignedIn) throws(IdentityError) -> String {
        do {
            return try authority.issue(
                Self.claims(of: signedIn.account, in: signedIn.session),
                lifetimeSeconds: IdentitySettings.tokenLifetimeSeconds)
        } catch {
            throw .unavailable()
        }
    }

    /// What a token claims of an account, besides what the authority adds. What the account says comes last: claims that
    /// were added cannot take its place.
    static func claims(of account: Account, in session: Session) -> [String: JSONValue] {
        claims(
            of: account, adding: AccountClaims.members(of: session.claims), provider: session.provider,
            signInSeconds: session.openedAt.seconds)
    }

    /// What a token claims of an account that was signed in with a provider at a time, in seconds since the epoch.
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
