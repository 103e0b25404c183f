/// The ways in that the page offers to strangers.
package struct WaysIn: Hashable, Sendable {
    /// The persons who may create an account.
    package enum SignUp: String, Sendable {
        /// Everybody with an e-mail address.
        case email
        /// People with an invitation.
        case invitation
    }

    /// The persons who may create an account; nil for nobody.
    package var signUp: SignUp?
    /// Whether people without an invitation may ask for one.
    package var takesJoinRequests: Bool

    package init(signUp: SignUp? = nil, takesJoinRequests: Bool = false) {
        (self.signUp, self.takesJoinRequests) = (signUp, takesJoinRequests)
    }
}
