/// Why a request is not let in.
package enum AccessError: Error, Hashable, Sendable {
    /// It shows nothing that lets it in.
    case denied
    /// Its token proves nothing here.
    case badToken(TokenFault)
    /// Its token proved who sends it, until it expired.
    case expired
    /// Its token was good, and was revoked, or its user is disabled or gone.
    case revoked
    /// The keys of the issuer, as far as they are here, have none of the token's name: newer ones may have.
    case unknownKey(issuer: String)
    /// It asks to act as somebody in a form that is none (`auth_variable_override`).
    case badOverride

    /// What clients of the Realtime Database are told.
    package var text: String {
        switch self {
        case .denied: "Permission denied"
        case .badToken, .unknownKey: "Could not parse auth token."
        case .expired, .revoked: "Auth token is expired"
        case .badOverride: "auth_variable_override must be a JSON object or null"
        }
    }

    /// The reason for a log, which says nothing secret.
    package var reason: String {
        switch self {
        case .denied: "nothing lets it in"
        case .badToken(let fault): "the token \(fault.rawValue)"
        case .expired: "the token has expired"
        case .revoked: "the token was revoked, or its user is disabled"
        case .badOverride: "the override is neither an object nor null"
        case .unknownKey: "the issuer's keys have none of the token's name"
        }
    }
}

/// What is wrong with a token.
package enum TokenFault: String, Sendable, Hashable, CaseIterable {
    case tooLong = "is too long"
    case malformed = "is no token of a known kind"
    case invalidJSON = "is no JSON, or has a member twice"
    case badAlgorithm = "has another algorithm than its key"
    case badType = "is for something else"
    case criticalHeader = "has a header that must be understood and is not"
    case unknownKey = "names no key that is known"
    case badSignature = "has a bad signature"
    case wrongIssuer = "is of another issuer"
    case wrongAudience = "is for another audience"
    case notYetValid = "is of the future"
    case badTime = "has a time that is none, or too long a life"
    case badSubject = "names no user"
    case badClaims = "has claims that it must not have"
}
