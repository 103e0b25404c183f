package import Cryptography
import Foundation
import Synchronization
package import TreeModel

/// Issues and verifies the service's own ID tokens (RS256), in the format of Firebase's.
package final class TokenAuthority: Sendable {
    /// The audience of the tokens, and the last part of their issuer's name.
    package let project: String
    private let now: @Sendable () -> Timestamp
    private let rules: ClaimRules
    private let state: Mutex<State>

    private struct State {
        var ring: KeyRing
        /// The number of times that the keys have been replaced.
        var keyVersion = 0
    }

    /// - Parameters:
    ///   - project: The service's project id, as in Firebase.
    ///   - leewaySeconds: The largest accepted difference between clocks, in seconds.
    ///   - now: Returns the current time.
    package init(
        project: String, keys: KeyRing, leewaySeconds: Int64 = 60,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.project = project
        self.now = now
        rules = ClaimRules(
            issuer: Self.issuer(of: project), audiences: [project], needsAuthTime: true,
            leewaySeconds: leewaySeconds, maxLifetimeSeconds: Int64(KeyRing.maxLifetimeSeconds))
        state = Mutex(State(ring: keys))
    }

    /// Returns the issuer of the tokens of a project.
    package static func issuer(of project: String) -> String { "https://securetoken.google.com/\(project)" }

    /// The largest accepted difference between clocks, in seconds.
    var leewaySeconds: Int64 { rules.leewaySeconds }

    /// The issuer of the tokens.
    package var issuer: String { rules.issuer }

    /// Issues a token with these claims. The authority always sets `iss`, `aud`, `iat` and `exp`; `auth_time` is the
    /// current time unless the claims contain it.
    ///
    /// - Parameter lifetimeSeconds: The lifetime; clamped to between 1 and ``KeyRing/maxLifetimeSeconds``.
    /// - Throws: ``KeyError`` when the key does not sign.
    package func issue(
        _ claims: [String: JSONValue], lifetimeSeconds: Int = 3600
    ) throws(KeyError) -> String {
        let issued = Int(now().seconds)
        var claims = claims
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(project)
        claims["iat"] = .integer(issued)
        claims["exp"] = .integer(issued + min(max(lifetimeSeconds, 1), KeyRing.maxLifetimeSeconds))
        if claims["auth_time"] == nil { claims["auth_time"] = .integer(issued) }
        return try sign(claims)
    }

    /// The issuer of the custom tokens, in the format of a service account's address.
    package var serviceAccount: String { "tintype@\(project)" }

    /// Issues a custom token (for `signInWithCustomToken`), which is valid for an hour.
    ///
    /// Claims that ``CustomClaims`` refuses are not checked here; the token is refused when it is used.
    ///
    /// - Throws: ``KeyError`` when the key does not sign.
    package func issueCustomToken(uid: String, claims: [String: JSONValue] = [:]) throws(KeyError) -> String {
        let issued = Int(now().seconds)
        return try sign([
            "iss": .string(serviceAccount), "sub": .string(serviceAccount), "aud": .string(CustomToken.audience),
            "iat": .integer(issued), "exp": .integer(issued + Int(CustomToken.maxLifetimeSeconds)),
            "uid": .string(uid), "claims": .object(claims),
        ])
    }

    private func sign(_ claims: [String: JSONValue]) throws(KeyError) -> String {
        let now = now()
        guard let key = state.withLock({ $0.ring.signingKey(now: now) }) else {
            throw KeyError("the key ring is empty")
        }
        return try WebToken.text(of: claims, keyID: key.id, signedBy: key.key)
    }

    /// Returns the claims of a token that this authority issued and that has not expired; does not check whether its
    /// user is disabled.
    ///
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    package func verify(_ token: String) throws(AccessError) -> [String: JSONValue] { try verify(WebToken(token)) }

    func verify(_ token: WebToken) throws(AccessError) -> [String: JSONValue] {
        try checkSignature(of: token)
        _ = try rules.check(token.claims, now: now())
        return token.claims
    }

    /// Verifies a token that this authority issued, and returns its user; does not check whether the user is disabled.
    ///
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    func user(of token: WebToken) throws(AccessError) -> ProvenUser {
        try checkSignature(of: token)
        return try ProvenUser(claims: token.claims, expirySeconds: try rules.check(token.claims, now: now()))
    }

    /// Whether a token names one of the keys as its signer; the signature is not checked.
    func mayHaveSigned(_ token: WebToken) -> Bool {
        guard let keyID = token.keyID else { return false }
        let now = now()
        return state.withLock { $0.ring.verifyingKeys(now: now) }.contains { $0.id.isSame(as: keyID) }
    }

    /// Checks that the key that a token names is one of the keys, and signed it.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    func checkSignature(of token: WebToken) throws(AccessError) {
        let now = now()
        let keys = state.withLock { $0.ring.verifyingKeys(now: now) }
        guard let keyID = token.keyID, let key = keys.first(where: { $0.id.isSame(as: keyID) }) else {
            throw .badToken(.unknownKey)
        }
        try token.check(signedBy: key.key.verificationKey)
    }

    /// The public keys that may still verify, as a JSON Web Key Set (RFC 7517 §5) for other verifiers.
    package var jwks: JSONValue {
        let now = now()
        return state.withLock(\.ring).publicSet(now: now)
    }

    /// The public keys by name, in PEM, for clients that accept them in place of a map of certificates.
    package var publicKeys: [String: String] {
        let now = now()
        let keys = state.withLock { $0.ring.verifyingKeys(now: now) }
        return Dictionary(keys.compactMap { key in (try? key.key.publicPEM()).map { (key.id, $0) } }) { first, _ in
            first
        }
    }

    /// Replaces the keys. Tokens that other keys signed are no longer valid.
    package func replaceKeys(_ keys: KeyRing) {
        state.withLock { state in
            state.ring = keys
            state.keyVersion += 1
        }
    }

    /// A number that changes with each replacement of the keys.
    var keyVersion: Int { state.withLock(\.keyVersion) }
}
