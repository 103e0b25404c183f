import Cryptography
import TreeModel

@testable import Access

/// Valid and invalid tokens of every kind.
enum Forge {
    /// The time in the tests' tokens, in seconds since the epoch.
    static let time = 1_795_000_000

    /// Returns a token whose first two parts are these texts, signed by the closure.
    static func token<E: Error>(
        header: String, payload: String, sign: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E) -> String {
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        return signed + "." + Base64URL.encode(try sign(Array(signed.utf8)))
    }

    /// Returns a token without a signature.
    static func token(header: String, payload: String) -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8) + "."
    }

    /// Returns the claims of a valid token of the project, with some of them changed; null removes one.
    static func claims(project: String = "demo", _ changes: [String: JSONValue] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .string("https://securetoken.google.com/\(project)"), "aud": .string(project), "sub": "ada",
            "iat": .integer(time - 10), "auth_time": .integer(time - 10), "exp": .integer(time + 3590),
        ]
        claims.merge(changes) { $1 }
        return claims.filter { $0.value != .null }
    }

    /// Returns a token of Firebase's project demo, signed with its test key.
    static func foreign(
        _ changes: [String: JSONValue] = [:], header: String = #"{"alg":"RS256","kid":"rsa"}"#
    ) throws
        -> String
    {
        let key = try SigningKey(pem: Secret(Foreign.privateKey))
        return try token(
            header: header, payload: String(decoding: JSONValue.object(claims(changes)).text, as: UTF8.self),
            sign: key.signature)
    }
}
