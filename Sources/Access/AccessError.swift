/// The reason why a request is not admitted.
package enum AccessError: Error, Hashable, Sendable {
    /// The request has no sufficient proof.
    case denied
    /// The token proves nothing here.
    case badToken(TokenFault)
    /// The token was valid but has expired.
    case expired
    /// The token was valid but has been revoked, or its user is disabled or deleted.
    case revoked
    /// The token names a key that is not among the issuer's keys at present; newer keys may contain it.
    case unknownKey(issuer: String)
    /// The override of the identity is malformed (`auth_variable_override`).
    case badOverride

    /// The text for clients of the Realtime Database.
    package var text: String {
        switch self {
        case .denied: "Permission denied"
        case .badToken, .unknownKey: "Could not parse auth token."
        case .expired, .revoked: "Auth token is expired"
        case .badOverride: "auth_variable_override must be a JSON object or null"
        }
    }

    /// The reason for a log, without secrets.
    package var reason: String {
        switch self {
        case .denied: "the request has no sufficient proof"
        case .badToken(let fault): "the token \(fault.rawValue)"
        case .expired: "the token has expired"
        case .revoked: "the token was revoked, or its user is disabled"
        case .badOverride: "the override is neither an object nor null"
        case .unknownKey: "the token names a key that its issuer does not have"
        }
    }
}

/// The fault of a token.
package enum TokenFault: String, Sendable, Hashable, CaseIterable {
    case tooLong = "is too long"
    case malformed = "is not a token of a known kind"
    case invalidJSON = "is not JSON, or has a member twice"
    case badAlgorithm = "has a different algorithm from its key"
    case badType = "is for another purpose"
    case criticalHeader = "has a critical header that is not supported"
    case unknownKey = "names an unknown key"
    case badSignature = "has a bad signature"
    case wrongIssuer = "is from another issuer"
    case wrongAudience = "is for another audience"
    case notYetValid = "is not valid yet"
    case badTime = "has an invalid time, or too long a lifetime"
    case badSubject = "names no user"
    case badClaims = "has claims that are not allowed"
}
