/// How often what attackers do may be done, before it has to wait.
package struct ThrottleLimits: Hashable, Sendable {
    /// Wrong passwords for one account from one address.
    package var passwordsOfAccountFromAddress = RateLimit(burst: 10, interval: 60)
    /// Wrong passwords for one account from everywhere; from where its owner has been let in, they do not count.
    package var passwordsOfAccount = RateLimit(burst: 100, interval: 10)
    /// Wrong passwords from one address.
    package var passwordsFromAddress = RateLimit(burst: 100, interval: 2)
    /// New accounts from one address, and other requests whose answers tell whether an e-mail address has an account.
    package var signUpsFromAddress = RateLimit(burst: 100, interval: 36)
    /// Codes to one e-mail address, asked for by one address.
    package var codesToEmailFromAddress = RateLimit(burst: 4, interval: 300)
    /// Codes to one e-mail address.
    package var codesToEmail = RateLimit(burst: 20, interval: 120)
    /// Codes that one address asks for.
    package var codesFromAddress = RateLimit(burst: 30, interval: 60)
    /// Refreshes of one session.
    package var refreshesOfSession = RateLimit(burst: 30, interval: 10)
    /// Refresh tokens that are good for nothing, from one address.
    package var badRefreshesFromAddress = RateLimit(burst: 100, interval: 2)

    package init() {}
}
