import TreeModel

/// A lasting sign-in, which its refresh tokens continue.
struct Session: Hashable, Sendable {
    /// The time for which a replaced token still receives its successor without the key of the refresh: the response may
    /// have been lost, or two pages of one browser may have sent the token at once.
    static let grace = Duration.seconds(60)
    /// The time after which an unused session ends: 270 days.
    static let idle = Duration.seconds(270 * 86_400)
    /// The largest number of sessions of an account; a further one ends the least recently used.
    static let maxPerAccount = 50

    /// The hash of the valid token.
    private(set) var current: String
    /// The previous token, which the current one has replaced.
    private(set) var previous: Previous?
    /// The time of the sign-in.
    let openedAt: Timestamp
    /// The time of the last use.
    private(set) var usedAt: Timestamp
    /// The method of the sign-in, as ID tokens name it: `password`, `google.com`, `custom`, `anonymous`.
    let provider: String
    /// The claims that a custom token added, which last as long as the session: a JSON object as text.
    let claims: String?

    struct Previous: Hashable, Sendable {
        let hash: String
        /// The salt that leads to the current token.
        let salt: String
        let replacedAt: Timestamp
        /// The hash of the key of the refresh; nil if it had none, and in records of earlier versions.
        let keyHash: String?
    }

    /// Whether the session has not been used for too long.
    func isExpired(at now: Timestamp) -> Bool { usedAt + Self.idle <= now }

    /// The result of using a token that names the session.
    enum Refresh {
        /// The token was valid and has been replaced by this one.
        case replaced(by: RefreshToken)
        /// The token was replaced by this one, a short time ago or by the same refresh.
        case repeated(RefreshToken)
        /// The token is an old one or never existed, so it may have been stolen.
        case stolen
    }

    /// Uses a token, and replaces it if it is the current one.
    ///
    /// The previous token gets the current one again, until that is used: for a short time, or without a limit with the
    /// key of the refresh that replaced it. A thief of the token alone does not know the key.
    ///
    /// - Parameters:
    ///   - key: The key of the refresh; nil for none.
    ///   - salt: Random text.
    mutating func take(_ token: RefreshToken, key: RefreshKey?, at now: Timestamp, salt: String) -> Refresh {
        let hash = token.hash
        if hash == current {
            let next = token.next(salt: salt)
            previous = Previous(hash: hash, salt: salt, replacedAt: now, keyHash: key?.hash)
            current = next.hash
            usedAt = now
            return .replaced(by: next)
        }
        guard let previous, previous.hash == hash else { return .stolen }
        let isSameRefresh = key != nil && key?.hash == previous.keyHash
        guard isSameRefresh || now - previous.replacedAt <= Self.grace else { return .stolen }
        return .repeated(token.next(salt: previous.salt))
    }
}

extension Session {
    init(of token: RefreshToken, at now: Timestamp, provider: String, claims: String?) {
        self.init(
            current: token.hash, openedAt: now, usedAt: now, provider: provider, claims: claims)
    }
}

// MARK: - Stored form

extension Session: TreeRecord {
    static let form = RecordForm(
        Self.init(current:previous:openedAt:usedAt:provider:claims:), .init("current", \.current),
        .init(partOf: \.previous), .init("opened", \.openedAt), .init("used", \.usedAt),
        .init("provider", \.provider), .init("claims", \.claims))
}

extension Session.Previous: TreeRecord {
    static let form = RecordForm(
        Self.init, .init("previous", \.hash), .init("salt", \.salt), .init("replaced", \.replacedAt),
        .init("key", \.keyHash))
}
