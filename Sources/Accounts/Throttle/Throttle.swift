package import TreeModel

/// Slows down clients that guess passwords, create accounts in large numbers, or have mail sent to others.
///
/// Failures count for the account and the network address together, so that no client can lock out another: the limit
/// for an account from all addresses does not apply to addresses from which its owner has signed in. All counts are
/// kept in this process, in bounded memory, and lost when it ends.
package final class Throttle: Sendable {
    private let passwordsOfAccountFromAddress: TokenBuckets
    private let passwordsOfAccount: TokenBuckets
    private let passwordsFromAddress: TokenBuckets
    private let signUpsFromAddress: TokenBuckets
    private let codesToEmailFromAddress: TokenBuckets
    private let codesToEmail: TokenBuckets
    private let codesFromAddress: TokenBuckets
    private let challengesFromAddress: TokenBuckets
    private let refreshesOfSession: TokenBuckets
    private let badRefreshesFromAddress: TokenBuckets
    private let invitationsFromAddress: TokenBuckets
    private let shortInvitations: TokenBuckets
    private let joinRequestsFromAddress: TokenBuckets
    private let picturesOfName: TokenBuckets
    private let picturesOfClass: TokenBuckets
    private let knownAddresses = KnownAddresses()
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Returns the current time.
    package init(_ limits: ThrottleLimits = ThrottleLimits(), clock: @escaping @Sendable () -> Timestamp) {
        passwordsOfAccountFromAddress = TokenBuckets(limits.passwordsOfAccountFromAddress)
        passwordsOfAccount = TokenBuckets(limits.passwordsOfAccount)
        passwordsFromAddress = TokenBuckets(limits.passwordsFromAddress)
        signUpsFromAddress = TokenBuckets(limits.signUpsFromAddress)
        codesToEmailFromAddress = TokenBuckets(limits.codesToEmailFromAddress)
        codesToEmail = TokenBuckets(limits.codesToEmail)
        codesFromAddress = TokenBuckets(limits.codesFromAddress)
        challengesFromAddress = TokenBuckets(limits.challengesFromAddress)
        refreshesOfSession = TokenBuckets(limits.refreshesOfSession)
        badRefreshesFromAddress = TokenBuckets(limits.badRefreshesFromAddress)
        invitationsFromAddress = TokenBuckets(limits.invitationsFromAddress)
        shortInvitations = TokenBuckets(limits.shortInvitations)
        joinRequestsFromAddress = TokenBuckets(limits.joinRequestsFromAddress)
        picturesOfName = TokenBuckets(limits.picturesOfName)
        picturesOfClass = TokenBuckets(limits.picturesOfClass)
        self.clock = clock
    }

    /// Counts an attempt before the password is checked, so that concurrent attempts also count.
    ///
    /// - Parameter email: The address of the account, whether it exists or not.
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func beginPassword(for email: EmailAddress, from address: String) throws(IdentityError) {
        let pair = Self.pair(email, address)
        var takes = [(passwordsFromAddress, address), (passwordsOfAccountFromAddress, pair)]
        if !knownAddresses.contains(pair) { takes.append((passwordsOfAccount, email.description)) }
        try take(takes)
    }

    /// Returns the tokens of an attempt with the right password.
    func passwordWasRight(for email: EmailAddress, from address: String) {
        let pair = Self.pair(email, address)
        passwordsFromAddress.giveBack(address)
        passwordsOfAccountFromAddress.giveBack(pair)
        if !knownAddresses.add(pair) { passwordsOfAccount.giveBack(email.description) }
    }

    /// Counts a challenge that will be made.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func challenge(from address: String) throws(IdentityError) { try take([(challengesFromAddress, address)]) }

    /// Counts an attempt before a passkey's signature is checked, together with wrong passwords.
    ///
    /// - Parameter id: The id of the passkey, whether it exists or not. A signature cannot be guessed, so that attempts from
    ///   other addresses do not count.
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func beginPasskey(_ id: String, from address: String) throws(IdentityError) {
        try take([(passwordsFromAddress, address), (passwordsOfAccountFromAddress, Self.pair(passkey: id, address))])
    }

    /// Returns the tokens of an attempt with the right signature.
    func passkeyWasRight(_ id: String, from address: String) {
        passwordsFromAddress.giveBack(address)
        passwordsOfAccountFromAddress.giveBack(Self.pair(passkey: id, address))
    }

    /// Counts a new account.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func signUp(from address: String) throws(IdentityError) { try take([(signUpsFromAddress, address)]) }

    /// Counts a code that will be sent.
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
    /// - Throws: The error of a busy service; any other error would sign the user out, see ``IdentityError/document``.
    func refresh(of session: String) throws(IdentityError) {
        guard let seconds = refreshesOfSession.take(session, at: clock()) else { return }
        throw .unavailable(retryAfterSeconds: seconds)
    }

    /// Counts an invalid refresh token.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func badRefresh(from address: String) throws(IdentityError) { try take([(badRefreshesFromAddress, address)]) }

    /// Counts an attempt before the code of an invitation is looked up.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func beginInvitation(isShort: Bool, from address: String) throws(IdentityError) {
        try take([(invitationsFromAddress, address)] + (isShort ? [(shortInvitations, "")] : []))
    }

    /// Returns the tokens of an attempt with the code of a valid invitation.
    func invitationWasRight(isShort: Bool, from address: String) {
        invitationsFromAddress.giveBack(address)
        if isShort { shortInvitations.giveBack("") }
    }

    /// Counts a request to join.
    ///
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func joinRequest(from address: String) throws(IdentityError) { try take([(joinRequestsFromAddress, address)]) }

    /// Counts an attempt before the picture of a child is compared.
    ///
    /// - Parameters:
    ///   - name: The child's identity in the class.
    ///   - group: The id of the class.
    /// - Throws: `TOO_MANY_ATTEMPTS_TRY_LATER`.
    func beginPicture(of name: String, in group: String) throws(IdentityError) {
        try take([(picturesOfClass, group), (picturesOfName, name)])
    }

    /// Returns the tokens of an attempt with the right picture.
    func pictureWasRight(of name: String, in group: String) {
        picturesOfClass.giveBack(group)
        picturesOfName.giveBack(name)
    }

    /// Returns a key of bounded length, which is not one of an e-mail address.
    private static func pair(passkey id: String, _ address: String) -> String {
        "\(AccountPaths.hash(id).string) \(address)"
    }

    private static func pair(_ email: EmailAddress, _ address: String) -> String { "\(email) \(address)" }

    /// Removes a token from each bucket, or from none.
    private func take(_ takes: [(buckets: TokenBuckets, key: String)]) throws(IdentityError) {
        let now = clock()
        for (index, (buckets, key)) in takes.enumerated() {
            guard let seconds = buckets.take(key, at: now) else { continue }
            for (buckets, key) in takes[..<index] { buckets.giveBack(key) }
            throw .tooManyAttempts(retryAfterSeconds: seconds)
        }
    }
}
