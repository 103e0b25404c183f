import Cryptography
package import TreeModel

/// The content of a custom token: the user that its holder signs in as.
package struct CustomToken: Sendable, Hashable {
    package let uid: String
    /// The claims for the user's ID tokens.
    package let claims: [String: JSONValue]

    /// The required audience of custom tokens.
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    /// The longest lifetime of a custom token, in seconds.
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

/// Verifies custom tokens of the operator's service accounts and of the service's own key.
package struct CustomTokenVerifier: Sendable {
    private let accounts: [ServiceAccount]
    private let authority: TokenAuthority?
    private let isEmulator: Bool
    private let leewaySeconds: Int64

    /// - Parameter authority: The authority whose custom tokens are also accepted; nil for none.
    package init(
        accounts: [ServiceAccount], authority: TokenAuthority?, isEmulator: Bool = false, leewaySeconds: Int64 = 60
    ) {
        (self.accounts, self.authority) = (accounts, authority)
        (self.isEmulator, self.leewaySeconds) = (isEmulator, leewaySeconds)
    }

    /// Verifies a token and returns its content. An emulator accepts any token, signed or not, and also its bare JSON.
    ///
    /// - Parameter now: The current time.
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
        // An account may have two keys during a key rotation.
        guard keys.contains(where: { (try? token.check(signedBy: $0)) != nil }) else {
            let isRightAlgorithm = token.algorithm == SignatureAlgorithm.rs256.rawValue
            throw .badToken(isRightAlgorithm ? .badSignature : .badAlgorithm)
        }
    }
}
