import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A token that proves the user's identity to the service for a while (a JSON Web Token). Its signature is for the
/// service; the device trusts the connection.
struct IDToken: Hashable, Sendable {
    /// The largest token that is read, in bytes; the service's own have a few thousand.
    private static let maxBytes = 64 << 10
    /// The longest lifetime that is believed.
    private static let maxLifetime: Int64 = 86_400

    let secret: Secret
    /// The account as of the time of issue.
    let account: Account
    /// The time from the issue to the expiry.
    let lifetime: Duration

    /// - Throws: `TransportError` for a text that is not such a token.
    init(_ text: String) throws {
        guard let claims = Self.claims(of: text), let id = claims["sub"]?.string, !id.isEmpty,
            let expiry = claims["exp"]?.integer, let issue = claims["iat"]?.integer, expiry > issue, issue >= 0
        else { throw TransportError(.malformed, "the answer has no token") }
        secret = Secret(text)
        let isAnonymous = claims["firebase"]?["sign_in_provider"] == "anonymous"
        account = Account(id: Person.ID(id), email: claims["email"]?.string, isAnonymous: isAnonymous)
        lifetime = .seconds(min(expiry - issue, Self.maxLifetime))
    }

    /// Returns the id of the person whose token a text is; nil if it is not a token.
    static func personID(in text: String) -> Person.ID? { claims(of: text)?["sub"]?.string.map { Person.ID($0) } }

    private static func claims(of text: String) -> JSONValue? {
        guard text.utf8.count <= maxBytes else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
    }
}

/// A token with its times by the clock of the device.
struct CurrentToken: Sendable {
    let token: IDToken
    /// The clock's `uptime` from which on another token is requested, and that of the expiry.
    let renewal, expiry: Duration

    init(_ token: IDToken, at uptime: Duration) {
        self.token = token
        expiry = uptime + token.lifetime
        renewal = expiry - min(.seconds(300), token.lifetime / 4)
    }
}

/// The answer of the service to a sign-in or a renewal.
struct TokenGrant: Sendable {
    let idToken: IDToken
    let refreshToken: Secret

    /// Reads the answer of an identity endpoint, whose names contain underscores only in that to a renewal.
    ///
    /// - Throws: `TransportError` for an answer without tokens.
    init(_ answer: JSONValue) throws {
        guard let token = (answer["idToken"] ?? answer["id_token"])?.string,
            let refresh = (answer["refreshToken"] ?? answer["refresh_token"])?.string, !refresh.isEmpty
        else { throw TransportError(.malformed, "the answer has no tokens") }
        idToken = try IDToken(token)
        refreshToken = Secret(refresh)
    }
}
