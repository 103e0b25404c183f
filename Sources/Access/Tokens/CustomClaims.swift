package import TreeModel

/// The claims that an app gives its users, at the top level of their tokens.
package enum CustomClaims {
    /// The longest claims, in characters of their JSON.
    package static let maxLength = 1000

    /// The names that an app may not use, because the issuer sets them.
    package static let reservedNames: Set<String> = [
        "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time", "firebase",
        "at_hash", "c_hash",
    ]

    /// Checks that an app may give these claims; `user_id` is also refused, since it means the same as `sub`.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    package static func check(_ claims: [String: JSONValue]) throws(AccessError) {
        guard claims.keys.allSatisfy({ !reservedNames.contains($0) && $0 != "user_id" }),
            JSONValue.object(claims).text.count <= maxLength
        else { throw .badToken(.badClaims) }
    }
}
