import Access
import Cryptography
import TreeModel

/// Creates session cookies for web servers that use firebase-admin (`projects/P:createSessionCookie`).
///
/// They are not signed, and the service does not accept them. It is an emulator's operation: firebase-admin accepts an
/// emulator's tokens as they are.
struct SessionCookie: Sendable {
    /// The valid lifetimes of a cookie, in seconds: 5 minutes to 14 days.
    private static let lifetimes: ClosedRange<Int64> = 300...1_209_600

    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let lifetime = try request.integer("validDuration") ?? Self.lifetimes.upperBound
        guard Self.lifetimes.contains(lifetime) else { throw IdentityError("INVALID_DURATION") }
        let proof = try await parts.tokens.proof(in: request)
        let issued = Int(parts.store.now.seconds)
        var claims = proof.claims
        claims["iss"] = .string("https://session.firebase.google.com/\(parts.tokens.authority.project)")
        claims["iat"] = .integer(issued)
        claims["exp"] = .integer(issued + Int(lifetime))
        let header: JSONValue = ["alg": "none", "typ": "JWT"]
        let cookie = [header, .object(claims)].map { Base64URL.encode($0.text) }.joined(separator: ".") + "."
        return ["sessionCookie": .string(cookie)]
    }
}
