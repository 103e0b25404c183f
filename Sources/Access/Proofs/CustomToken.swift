import Cryptography
package import TreeModel

/// What a custom token asks for: that whoever shows it is this user.
package struct CustomToken: Sendable, Hashable {
    package let uid: String
    /// The claims for the user's ID tokens.
    package let claims: [String: JSONValue]

    /// The audience of custom tokens.
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// The longest life of a custom token, in seconds.
    static let maxLifetimeSeconds: Int64 = 3600

    /// - Throws: ``AccessError`` with the case `badToken`.
    init(_ members: [String: JSONValue]) throws(AccessError) {
        guard let uid = members["uid"]?.string, TokenSubject.isValid(uid) else { throw .badToken(.badSubject) }
        var claims: [String: JSONValue] = [:]
        if let given = members["claims"], given != .null {
            guard let members = given.members else { throw .badToken(.badClaims) }
            claims = members
        }
        try CustomClaims.check(claims)
        self.uid = uid
        self.claims = claims
    }
}

/// The judgement on custom tokens: those of the operator's service accounts, and of the service's own key.
package struct CustomTokenVerifier: Sendable {
    private let accounts: [ServiceAccount]
    private let authority: TokenAuthority?
    private let isEmulator: Bool
    private let leewaySeconds: Int64

    /// - Parameter authority: Whose custom tokens are good too; nil for nobody's.
    package init(
        accounts: [ServiceAccount], authority: TokenAuthority?, isEmulator: Bool = false, leewaySeconds: Int64 = 60
    ) {
        (self.accounts, self.authority) = (accounts, authority)
        (self.isEmulator, self.leewaySeconds) = (isEmulator, leewaySeconds)
    }

    /// What a token asks for. An emulator takes any, signed or not, and the bare JSON of one.
    ///
    /// - Parameter now: The present time.
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    package func verify(_ token: String, now: Timestamp) throws(AccessError) -> CustomToken {
        if isEmulator, token.utf8.first == UInt8(ascii: "{") {
            guard token.utf8.count <= WebToken.maxBytes, let members = JSONValue(text: token.utf8)?.members else {
                throw .badToken(.malformed)
            }
            return try CustomToken(members)
        }
        let token = try WebToken(token)
        guard !isEmulator else { return try CustomToken(token.claims) }
        guard let issuer = token.claims["iss"]?.string, token.claims["sub"]?.string?.isSame(as: issuer) == true else {
            throw .badToken(.wrongIssuer)
        }
        try checkSignature(of: token, issuer: issuer)
        let rules = ClaimRules(
            issuer: issuer, audiences: [CustomToken.audience], leewaySeconds: leewaySeconds,
            maxLifetimeSeconds: CustomToken.maxLifetimeSeconds)
        _ = try rules.check(token.claims, now: now)
        return try CustomToken(token.claims)
    }

    private func checkSignature(of token: WebToken, issuer: String) throws(AccessError) {
        if let authority, authority.serviceAccount.isSame(as: issuer) { return try authority.checkSignature(of: token) }
        let keys = accounts.filter { $0.email.isSame(as: issuer) }.map(\.key)
        guard !keys.isEmpty else { throw .badToken(.wrongIssuer) }
        // An account may have two keys while one takes the place of the other.
        guard keys.contains(where: { (try? token.check(signedBy: $0)) != nil }) else {
            let isRightAlgorithm = token.algorithm == SignatureAlgorithm.rs256.rawValue
            throw .badToken(isRightAlgorithm ? .badSignature : .badAlgorithm)
        }
    }
}
