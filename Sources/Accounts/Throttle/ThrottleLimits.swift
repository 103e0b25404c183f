/// The rate limits of operations that attackers repeat.
package struct ThrottleLimits: Hashable, Sendable {
    /// Wrong passwords for one account from one network address.
    package var passwordsOfAccountFromAddress = RateLimit(burst: 10, interval: 60)
    /// Wrong passwords for one account from all network addresses; they do not count from addresses where its owner has
    /// signed in.
    package var passwordsOfAccount = RateLimit(burst: 100, interval: 10)
    /// Wrong passwords from one network address.
    package var passwordsFromAddress = RateLimit(burst: 100, interval: 2)
    /// New accounts from one network address, and other requests whose responses reveal whether an e-mail address has
    /// an account.
    package var signUpsFromAddress = RateLimit(burst: 100, interval: 36)
    /// Codes to one e-mail address that one network address requests.
    package var codesToEmailFromAddress = RateLimit(burst: 4, interval: 300)
    /// Codes to one e-mail address.
    package var codesToEmail = RateLimit(burst: 20, interval: 120)
    /// Codes that one network address requests.
    package var codesFromAddress = RateLimit(burst: 30, interval: 60)
    /// Challenges of passkeys that one network address requests.
    package var challengesFromAddress = RateLimit(burst: 100, interval: 2)
    /// Refreshes of one session.
    package var refreshesOfSession = RateLimit(burst: 30, interval: 10)
    /// Invalid refresh tokens from one network address.
    package var badRefreshesFromAddress = RateLimit(burst: 100, interval: 2)
    /// Wrong codes of invitations from one network address.
    package var invitationsFromAddress = RateLimit(burst: 20, interval: 30)
    /// Wrong short codes from all network addresses: at this rate, finding one of a thousand takes years.
    package var shortInvitations = RateLimit(burst: 500, interval: 2)
    /// Requests to join from one network address.
    package var joinRequestsFromAddress = RateLimit(burst: 5, interval: 600)
    /// Wrong pictures for one name of a class.
    package var picturesOfName = RateLimit(burst: 5, interval: 600)
    /// Wrong pictures for all names of a class.
    package var picturesOfClass = RateLimit(burst: 60, interval: 30)

    package init() {}
}
