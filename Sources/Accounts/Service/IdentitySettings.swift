/// What the operator decides about accounts.
package struct IdentitySettings: Hashable, Sendable {
    /// Whether the service stands in for Firebase's emulator: tokens of others are believed unverified, nothing is
    /// slowed down, and answers tell which addresses have accounts.
    package var isEmulator = false
    /// Whether anybody may make an account with an e-mail address and a password.
    package var allowsEmailSignUp = true
    /// Whether anybody may make an account without saying who they are.
    package var allowsAnonymousSignUp = true
    /// The domains that links in messages may lead on to.
    package var authorizedDomains = ["localhost"]
    /// The address of the page that codes in messages lead to, without a query.
    package var actionURL: String

    /// The shortest password, in characters: what the SDKs say in their own words.
    package static let minPasswordLength = 6
    /// The time for which an ID token is good, in seconds.
    package static let tokenLifetimeSeconds = 3600

    package init(actionURL: String) { self.actionURL = actionURL }
}
