import TreeModel

/// What the claims of a token must be for it to prove anything (RFC 7519 §4.1, OpenID Connect Core 1.0 §3.1.3.7).
struct ClaimRules: Sendable {
    /// The `iss` that it must have.
    let issuer: String
    /// The audiences of which it must have one in `aud`.
    let audiences: [String]
    /// Whether it must say when its user signed in.
    var needsAuthTime = false
    /// By how much the clocks of the issuer and of this machine may differ, in seconds.
    var leewaySeconds: Int64 = 60
    /// The longest time from its issue to its end, in seconds; nil for any.
    var maxLifetimeSeconds: Int64?

    /// The last second that a claim may name: the end of the year 9999.
    private static let lastSecond: Double = 253_402_300_799

    /// Makes sure that the claims are so.
    ///
    /// - Parameter now: The present time.
    /// - Returns: When the token expires, in seconds since the epoch.
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    func check(_ claims: [String: JSONValue], now: Timestamp) throws(AccessError) -> Int64 {
        guard let issuer = claims["iss"]?.string, issuer.isSame(as: self.issuer) else {
            throw .badToken(.wrongIssuer)
        }
        guard Self.audiences(in: claims).contains(where: { audience in audiences.contains { audience.isSame(as: $0) } })
        else { throw .badToken(.wrongAudience) }
        return try Self.checkTimes(
            claims, leewaySeconds: leewaySeconds, maxLifetimeSeconds: maxLifetimeSeconds, needsAuthTime: needsAuthTime,
            now: now)
    }

    /// Makes sure that the times of a token allow its use now.
    ///
    /// - Returns: When the token expires, in seconds since the epoch.
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    static func checkTimes(
        _ claims: [String: JSONValue], leewaySeconds: Int64, maxLifetimeSeconds: Int64?, needsAuthTime: Bool,
        now: Timestamp
    ) throws(AccessError) -> Int64 {
        let now = now.seconds
        guard let expiry = try time("exp", in: claims), let issued = try time("iat", in: claims) else {
            throw .badToken(.badTime)
        }
        guard issued <= now + leewaySeconds else { throw .badToken(.notYetValid) }
        if let start = try time("nbf", in: claims), start > now + leewaySeconds { throw .badToken(.notYetValid) }
        let signIn = try time("auth_time", in: claims)
        guard signIn != nil || !needsAuthTime else { throw .badToken(.badTime) }
        if let signIn, signIn > now + leewaySeconds { throw .badToken(.notYetValid) }
        guard expiry >= issued, maxLifetimeSeconds.map({ expiry - issued <= $0 }) ?? true else {
            throw .badToken(.badTime)
        }
        guard expiry > now - leewaySeconds else { throw .expired }
        return expiry
    }

    /// A claim that is a time, in whole seconds since the epoch; nil if it is not there.
    static func time(_ name: String, in claims: [String: JSONValue]) throws(AccessError) -> Int64? {
        guard let claim = claims[name] else { return nil }
        let seconds: Double =
            switch claim {
            case .integer(let integer): Double(integer)
            case .double(let double): double
            default: -1
            }
        guard (0...lastSecond).contains(seconds) else { throw .badToken(.badTime) }
        return Int64(seconds)
    }

    private static func audiences(in claims: [String: JSONValue]) -> [String] {
        guard let claim = claims["aud"] else { return [] }
        return claim.string.map { [$0] } ?? claim.elements?.compactMap(\.string) ?? []
    }
}

extension String {
    /// Whether two texts are the same byte for byte; `==` takes some letters of Unicode for others.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
