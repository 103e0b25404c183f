import Access
import Cryptography
import TreeModel

/// Issues tokens for any user to administrators: for scripts and tests, and for servers that vouch for their users.
struct TokenIssue: Sendable {
    let parts: IdentityParts

    /// Issues an ID token of an account, or a custom token for any id, whose account is created when the token is used.
    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let uid = try request.string("localId", missing: "LOCAL_ID")
        let claims = try claims(in: request)
        guard try request.bool("custom") ?? false else {
            let seconds = try lifetime(in: request)
            return answer(try await idToken(of: uid, claims, seconds), seconds)
        }
        _ = try AccountStore.key(of: uid)
        guard request.body["lifetimeSeconds"] == nil else {
            throw IdentityError("INVALID_ARGUMENT : A custom token is good for an hour")
        }
        let token = try signed { authority throws(KeyError) in
            try authority.issueCustomToken(uid: uid, claims: claims)
        }
        return answer(token, IdentitySettings.tokenLifetimeSeconds)
    }

    /// Issues a token with a valid time of sign-in: now, or the first second after the last revocation.
    private func idToken(
        of uid: String, _ claims: [String: JSONValue], _ seconds: Int
    ) async throws(IdentityError) -> String {
        guard let account = try await parts.store.account(uid) else { throw .userNotFound }
        guard !account.isDisabled else { throw .userDisabled }
        let claims = IDTokens.claims(
            of: account, adding: claims, provider: "custom",
            signInSeconds: max(parts.store.now.seconds, account.minSignInSeconds))
        return try signed { authority throws(KeyError) in try authority.issue(claims, lifetimeSeconds: seconds) }
    }

    private func signed(_ sign: (TokenAuthority) throws(KeyError) -> String) throws(IdentityError) -> String {
        do throws(KeyError) {
            return try sign(parts.tokens.authority)
        } catch {
            throw .unavailable(reason: "\(error)")
        }
    }

    /// Returns the claims to add.
    ///
    /// - Throws: `CLAIMS_TOO_LARGE`, `INVALID_CLAIMS` or `FORBIDDEN_CLAIM`.
    private func claims(in request: IdentityRequest) throws(IdentityError) -> [String: JSONValue] {
        guard let json = request.body["claims"] else { return [:] }
        guard let claims = json.members else { throw IdentityError("INVALID_CLAIMS") }
        guard json.text.count <= CustomClaims.maxLength else { throw IdentityError("CLAIMS_TOO_LARGE") }
        try AccountClaims.check(claims)
        guard claims["user_id"] == nil else { throw IdentityError("FORBIDDEN_CLAIM : user_id") }
        return claims
    }

    private func lifetime(in request: IdentityRequest) throws(IdentityError) -> Int {
        guard let asked = try request.integer("lifetimeSeconds") else { return IdentitySettings.tokenLifetimeSeconds }
        guard (1...Int64(KeyRing.maxLifetimeSeconds)).contains(asked) else {
            throw IdentityError("INVALID_ARGUMENT : A token is good for 1 to \(KeyRing.maxLifetimeSeconds) seconds")
        }
        return Int(asked)
    }

    private func answer(_ token: String, _ seconds: Int) -> JSONValue {
        ["token": .string(token), "expiresIn": .integer(seconds)]
    }
}
