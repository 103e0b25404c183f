import TreeModel

/// The requirements on the claims of a token (RFC 7519 §4.1, OpenID Connect Core 1.0 §3.1.3.7).
struct ClaimRules: Sendable {
    /// The required `iss`.
    let issuer: String
    /// The accepted audiences; `aud` must contain at least one of them.
    let audiences: [String]
    /// Whether the token must contain the time of the sign-in (`auth_time`).
    var needsAuthTime = false
    /// The largest accepted difference between the clocks of the issuer and of this machine, in seconds.
    var leewaySeconds: Int64 = 60
    /// The longest time from issue to expiry, in seconds; nil for no limit.
    var maxLifetimeSeconds: Int64?

    /// The last second that a claim may contain: the end of the year 9999.
    private static let lastSecond: Double = 253_402_300_799

    /// Checks that the claims meet the requirements.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The time at which the token expires, in seconds since the epoch.
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

    /// Checks that the times of a token allow its use now.
    ///
    /// - Returns: The time at which the token expires, in seconds since the epoch.
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

    /// Returns a claim that is a time, in whole seconds since the epoch; nil if it is missing.
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
    /// Whether two texts are equal byte for byte; `==` treats canonically equivalent characters as equal.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
