import Cryptography
import TreeModel

/// Verifies ID tokens of one issuer.
struct ForeignVerifier: Sendable {
    let settings: IssuerSettings
    let leewaySeconds: Int64

    /// Returns the user of a token, with the claims that the settings pass to security rules.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys, if they have been fetched.
    ///   - now: The current time.
    /// - Throws: ``AccessError`` with the case `badToken`, `expired` or `unknownKey`.
    func user(of token: WebToken, keys: PublicKeySet?, now: Timestamp) throws(AccessError) -> ProvenUser {
        // This is checked before keys are fetched: no key would match.
        let algorithms: [SignatureAlgorithm] = settings.kind == .firebase ? [.rs256] : [.rs256, .es256]
        guard algorithms.contains(where: { $0.rawValue == token.algorithm }) else { throw .badToken(.badAlgorithm) }
        guard let key = keys?.key(for: token) else {
            guard keys == nil || token.keyID != nil else { throw .badToken(.unknownKey) }
            throw .unknownKey(issuer: settings.issuer)
        }
        try token.check(signedBy: key)
        let rules = ClaimRules(
            issuer: settings.issuer, audiences: settings.audiences, needsAuthTime: settings.kind == .firebase,
            leewaySeconds: leewaySeconds, maxLifetimeSeconds: Int64(KeyRing.maxLifetimeSeconds))
        let expiry = try rules.check(token.claims, now: now)
        let claims = token.claims.filter { name, _ in
            IssuerSettings.identityClaims.contains(name) || settings.claims.contains(name)
        }
        switch settings.kind {
        case .firebase: return try ProvenUser(claims: claims, expirySeconds: expiry)
        case .oidc(let uidClaim, let uidPrefix, let provider):
            try checkParty(token.claims)
            guard let subject = token.claims[uidClaim]?.string, !subject.isEmpty else { throw .badToken(.badSubject) }
            var claims = claims
            // Only Firebase sets this claim, and rules rely on it.
            claims["firebase"] = [
                "sign_in_provider": .string(provider), "identities": [provider: [.string(subject)]],
            ]
            return try ProvenUser(
                uid: uidPrefix + TokenSubject.key(for: subject), provider: provider, claims: claims,
                expirySeconds: expiry)
        }
    }

    /// Checks that a token for several audiences was issued to one of the service's audiences (OpenID Connect Core 1.0
    /// §3.1.3.7).
    private func checkParty(_ claims: [String: JSONValue]) throws(AccessError) {
        guard let audiences = claims["aud"]?.elements, audiences.count > 1 else { return }
        guard let party = claims["azp"]?.string, settings.audiences.contains(where: { $0.isSame(as: party) }) else {
            throw .badToken(.wrongAudience)
        }
    }
}

extension IssuerKeys {
    /// Verifies an ID token of one of the issuers for a sign-in, and returns the token's user, whose `auth` contains
    /// the claims of the token.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`, `expired` or `unknownKey`.
    package func user(ofToken text: String, leewaySeconds: Int64 = 60) throws(AccessError) -> ProvenUser {
        let token = try WebToken(text)
        guard let name = token.claims["iss"]?.string, let issuer = issuer(name) else { throw .badToken(.wrongIssuer) }
        let verifier = ForeignVerifier(settings: issuer.settings, leewaySeconds: leewaySeconds)
        return try verifier.user(of: token, keys: issuer.keys, now: now())
    }
}
