import Cryptography
import TreeModel

/// A database secret, the oldest credential of the Realtime Database: it proves the owner, and signs tokens for others
/// (HS256).
struct DatabaseSecret: Sendable {
    /// The shortest secret that signs, in bytes (RFC 7518 §3.2); a shorter one could be guessed from a token.
    private static let minSigningBytes = 32
    /// The lifetime of a token without an expiry, in seconds.
    private static let defaultLifetimeSeconds: Int64 = 86_400

    private let secret: Secret

    init(_ secret: Secret) { self.secret = secret }

    /// Whether a text is the secret.
    func matches(_ text: String) -> Bool { secret.matches(text) }

    /// Checks that the secret signed a token.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    func checkSignature(of token: WebToken) throws(AccessError) {
        guard secret.text.utf8.count >= Self.minSigningBytes else { throw .badToken(.badAlgorithm) }
        try token.check(signedBy: VerificationKey(secret: secret))
    }

    /// Returns the subject of a token that a secret signed: `d` is the variable `auth` of security rules, unless
    /// `admin` marks the owner.
    ///
    /// - Parameter now: The current time.
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    static func proof(
        of claims: [String: JSONValue], leewaySeconds: Int64, now: Timestamp
    ) throws(AccessError) -> Proof.Subject {
        guard claims["v"] == nil || claims["v"] == 0 else { throw .badToken(.badClaims) }
        var times = claims
        if let issued = try ClaimRules.time("iat", in: claims), claims["exp"] == nil {
            times["exp"] = .integer(Int(issued + defaultLifetimeSeconds))
        }
        let expiry = try ClaimRules.checkTimes(
            times, leewaySeconds: leewaySeconds, maxLifetimeSeconds: nil, needsAuthTime: false, now: now)
        if claims["admin"] == true { return .admin(expiresAt: Timestamp(seconds: expiry)) }
        guard let auth = claims["d"], let uid = auth["uid"]?.string else { throw .badToken(.badSubject) }
        return .user(try ProvenUser(uid: uid, auth: auth, claims: claims, expirySeconds: expiry))
    }
}
