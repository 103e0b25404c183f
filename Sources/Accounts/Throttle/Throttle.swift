package import TreeModel

/// Slows down who guesses passwords, makes accounts by the thousand, or has mail sent to others.
///
/// Failures count for the account and the address together, so that nobody locks out somebody else: the ceiling for an
/// account from everywhere does not hold for addresses from which its owner was let in. All is kept in this process, in
/// bounded memory, and forgotten when it ends.
package final class Throttle: Sendable {
    private let passwordsOfAccountFromAddress: TokenBuckets
    private let passwordsOfAccount: TokenBuckets
    private let passwordsFromAddress: TokenBuckets
    private let signUpsFromAddress: TokenBuckets
    private let codesToEmailFromAddress: TokenBuckets
    private let codesToEmail: TokenBuckets
    private let codesFromAddress: TokenBuckets
    private let refreshesOfSession: TokenBuckets
    private let badRefreshesFromAddress: TokenBuckets
    private let knownAddresses = KnownAddresses()
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: The present time.
    package init(_ limits: ThrottleLimits = ThrottleLimits(), clock: @escaping @Sendable () -> Timestamp) {
        passwordsOfAccountFromAddress = TokenBuckets(limits.passwordsOfAccountFromAddress)
        passwordsOfAccount = TokenBuckets(limits.passwordsOfAccount)
        passwordsFromAddress = TokenBuckets(limits.passwordsFromAddress)
        signUpsFromAddress = TokenBuckets(limits.signUpsFromAddress)
        codesToEmailFromAddress = TokenBuckets(limits.codesToEmailFromAddress)
        codesToEmail = TokenBuckets(limits.codesToEmail)
        codesFromAddress = TokenBuckets(limits.codesFromAddress)
        refreshesOfSession = TokenBuckets(limits.refreshesOfSession)
        badRefreshesFromAddress = TokenBuckets(limits.badRefreshesFromAddress)
        self.clock = clock
    }

    /// Counts a password that somebody tries, before it is known whether it is right: many that come at a time count, too.
    ///
    /// - Parameter email: The address of the account, whether there is one or not.
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func beginPassword(for email: EmailAddress, from address: String) throws(IdentityError) {
        let pair = Self.pair(email, address)
        var takes = [(passwordsFromAddress, address), (passwordsOfAccountFromAddress, pair)]
        if !knownAddresses.contains(pair) { takes.append((passwordsOfAccount, email.description)) }
        try take(takes)
    }

    /// Gives back what was counted of a password that was right.
    func passwordWasRight(for email: EmailAddress, from address: String) {
        let pair = Self.pair(email, address)
        passwordsFromAddress.giveBack(address)
        passwordsOfAccountFromAddress.giveBack(pair)
        if !knownAddresses.add(pair) { passwordsOfAccount.giveBack(email.description) }
    }

    /// Counts a new account.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func signUp(from address: String) throws(IdentityError) { try take([(signUpsFromAddress, address)]) }

    /// Counts a code that is to be sent.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func code(to email: EmailAddress, from address: String) throws(IdentityError) {
        try take([
            (codesFromAddress, address), (codesToEmailFromAddress, Self.pair(email, address)),
            (codesToEmail, email.description),
        ])
    }

    /// Counts a refresh.
    ///
    /// - Throws: The error of a service that is busy: another one would sign the user out, see ``IdentityError/document``.
    func refresh(of session: String) throws(IdentityError) {
        guard let seconds = refreshesOfSession.take(session, at: clock()) else { return }
        throw .unavailable(retryAfterSeconds: seconds)
    }

    /// Counts a refresh token that is good for nothing.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func badRefresh(from address: String) throws(IdentityError) { try take([(badRefreshesFromAddress, address)]) }

    private static func pair(_ email: EmailAddress, _ address: String) -> String { "\(email) \(address)" }

    /// Takes a token of each bucket, or of none.
    private func take(_ takes: [(buckets: TokenBuckets, key: String)]) throws(IdentityError) {
        let now = clock()
        for (index, (buckets, key)) in takes.enumerated() {
            guard let seconds = buckets.take(key, at: now) else { continue }
            for (buckets, key) in takes[..<index] { buckets.giveBack(key) }
            throw .tooManyAttempts(retryAfterSeconds: seconds)
        }
    }
}
