import TreeModel

/// A sign-in that lasts: what its refresh tokens stand for.
struct Session: Hashable, Sendable {
    /// The time for which a replaced token is answered once more with its successor: the answer may have
    /// been lost, or two pages of one browser may have asked at a time.
    static let grace = Duration.seconds(60)
    /// The time after which a session that was not used ends: 270 days.
    static let idle = Duration.seconds(270 * 86_400)
    /// The most sessions of one account; a further one ends that which was not used for the longest time.
    static let maxPerAccount = 50

    /// The hash of the token that is good.
    private(set) var current: String
    /// The token that was good before: its hash, the salt that leads to the current one, and when that was given out.
    private(set) var previous: Previous?
    /// The time of the sign-in.
    let openedAt: Timestamp
    /// The time of the last use.
    private(set) var usedAt: Timestamp
    /// What the person signed in with, as ID tokens name it: `password`, `google.com`, `custom`, `anonymous`.
    let provider: String
    /// The claims that a custom token added, which last as long as the session: a JSON object as text.
    let claims: String?

    struct Previous: Hashable, Sendable {
        let hash: String
        let salt: String
        let replacedAt: Timestamp
    }

    /// Whether the session has not been used for too long.
    func isExpired(at now: Timestamp) -> Bool { usedAt + Self.idle <= now }

    /// What a token that names the session is worth.
    enum Refresh {
        /// The token is good, and replaced by this one from now on.
        case replaced(by: RefreshToken)
        /// The token was replaced a moment ago, by this one.
        case repeated(RefreshToken)
        /// The token was good once or never: somebody has what is not theirs.
        case stolen
    }

    /// Takes a token, and replaces it if it is the current one.
    ///
    /// - Parameter salt: Random text.
    mutating func take(_ token: RefreshToken, at now: Timestamp, salt: String) -> Refresh {
        let hash = token.hash
        if hash == current {
            let next = token.next(salt: salt)
            previous = Previous(hash: hash, salt: salt, replacedAt: now)
            current = next.hash
            usedAt = now
            return .replaced(by: next)
        }
        guard let previous, previous.hash == hash, now - previous.replacedAt <= Self.grace else {
            return .stolen
        }
        return .repeated(token.next(salt: previous.salt))
    }
}

extension Session {
    init(of token: RefreshToken, at now: Timestamp, provider: String, claims: String?) {
        self.init(
            current: token.hash, openedAt: now, usedAt: now, provider: provider, claims: claims)
    }
}

// MARK: - As it is stored

extension Session: TreeRecord {
    static let form = RecordForm(
        Self.init(current:previous:openedAt:usedAt:provider:claims:), .init("current", \.current),
        .init(partOf: \.previous), .init("opened", \.openedAt), .init("used", \.usedAt),
        .init("provider", \.provider), .init("claims", \.claims))
}

extension Session.Previous: TreeRecord {
    static let form = RecordForm(
        Self.init, .init("previous", \.hash), .init("salt", \.salt), .init("replaced", \.replacedAt))
}
