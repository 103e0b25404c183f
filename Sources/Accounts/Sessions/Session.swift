import TreeModel

/// A sign-in that lasts: what its refresh tokens stand for.
struct Session: Hashable, Sendable {
    /// The time for which a replaced token is answered once more with its successor, in milliseconds: the answer may have
    /// been lost, or two pages of one browser may have asked at a time.
    static let graceMilliseconds: Int64 = 60_000
    /// The time after which a session that was not used ends, in milliseconds: 270 days.
    static let idleMilliseconds: Int64 = 270 * 86_400_000
    /// The most sessions of one account; a further one ends that which was not used for the longest time.
    static let maxPerAccount = 50

    /// The hash of the token that is good.
    private(set) var current: String
    /// The token that was good before: its hash, the salt that leads to the current one, and when that was given out.
    private(set) var previous: Previous?
    /// The time of the sign-in, in milliseconds since the epoch.
    let openedMilliseconds: Int64
    /// The time of the last use, in milliseconds since the epoch.
    private(set) var usedMilliseconds: Int64
    /// What the person signed in with, as ID tokens name it: `password`, `google.com`, `custom`, `anonymous`.
    let provider: String
    /// The claims that a custom token added, which last as long as the session: a JSON object as text.
    let claims: String?

    struct Previous: Hashable, Sendable {
        let hash: String
        let salt: String
        let replacedMilliseconds: Int64
    }

    /// Whether the session has not been used for too long.
    func isExpired(at now: Int64) -> Bool { usedMilliseconds + Self.idleMilliseconds <= now }

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
    mutating func take(_ token: RefreshToken, at now: Int64, salt: String) -> Refresh {
        let hash = token.hash
        if hash == current {
            let next = token.next(salt: salt)
            previous = Previous(hash: hash, salt: salt, replacedMilliseconds: now)
            current = next.hash
            usedMilliseconds = now
            return .replaced(by: next)
        }
        guard let previous, previous.hash == hash, now - previous.replacedMilliseconds <= Self.graceMilliseconds else {
            return .stolen
        }
        return .repeated(token.next(salt: previous.salt))
    }
}

extension Session {
    init(of token: RefreshToken, at now: Int64, provider: String, claims: String?) {
        self.init(
            current: token.hash, openedMilliseconds: now, usedMilliseconds: now, provider: provider, claims: claims)
    }
}

// MARK: - As it is stored

extension Session: TreeRecord {
    static let form = RecordForm(
        Self.init(current:previous:openedMilliseconds:usedMilliseconds:provider:claims:), .init("current", \.current),
        .init(partOf: \.previous), .init("opened", \.openedMilliseconds), .init("used", \.usedMilliseconds),
        .init("provider", \.provider), .init("claims", \.claims))
}

extension Session.Previous: TreeRecord {
    static let form = RecordForm(
        Self.init, .init("previous", \.hash), .init("salt", \.salt), .init("replaced", \.replacedMilliseconds))
}
