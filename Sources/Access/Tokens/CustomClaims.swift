package import TreeModel

/// The claims that an app gives its users, which stand at the top level of their tokens.
package enum CustomClaims {
    /// The longest claims, in characters of their JSON.
    package static let maxLength = 1000

    /// The names that an app may not give, for the issuer says what they are.
    package static let reservedNames: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ]

    /// Makes sure that claims may be given; also a `user_id` may not, for it says the same as `sub`.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    package static func check(_ claims: [String: JSONValue]) throws(AccessError) {
        guard claims.keys.allSatisfy({ !reservedNames.contains($0) && $0 != "user_id" }),
            JSONValue.object(claims).text.count <= maxLength
        else { throw .badToken(.badClaims) }
    }
}
