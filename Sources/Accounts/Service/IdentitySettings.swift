/// The operator's settings for accounts.
package struct IdentitySettings: Hashable, Sendable {
    /// Whether the service replaces Firebase's emulator: tokens of others are not verified, requests are not throttled,
    /// and responses reveal which addresses have accounts.
    package var isEmulator = false
    /// The ways in which people may make an account.
    package var signUp = SignUpMethods.all
    /// The origin of links to this service, such as `https://photos.example`; nil if it has no public address.
    package var origin: String?
    /// The domains that links in messages may continue to.
    package var authorizedDomains = ["localhost"]
    /// The URL of the page that codes in messages lead to, without a query.
    package var actionURL: String

    /// The shortest password, in characters: the number in the SDKs' own texts.
    package static let minPasswordLength = 6
    /// The lifetime of an ID token, in seconds.
    package static let tokenLifetimeSeconds = 3600

    package init(actionURL: String) { self.actionURL = actionURL }

    /// Whether people may create accounts with an e-mail address and a password.
    package var allowsEmailSignUp: Bool { signUp.contains(.email) }
    /// Whether people may create anonymous accounts.
    package var allowsAnonymousSignUp: Bool { signUp.contains(.anonymous) }
    /// Whether people with an invitation may create accounts. While anybody may sign up, an invitation still makes people
    /// members of its audience.
    package var allowsInvitedSignUp: Bool { !signUp.isDisjoint(with: [.invitation, .email]) }
    /// Whether people without an invitation may request one.
    package var takesJoinRequests: Bool { signUp.contains(.request) }
}
