import Model
import TreeModel

extension IdentityParts {
    /// Reads the `invitation` of a request that creates an account, and checks it before costly work.
    ///
    /// - Returns: The code; nil if the request has none.
    /// - Throws: `OPERATION_NOT_ALLOWED` where no invitation lets anybody in, `INVITATION_WITHOUT_ADDRESS`,
    ///   `INVITATION_OF_ANOTHER_ADDRESS`, or the errors of `Invitations.check`.
    func invitation(
        in request: IdentityRequest, for email: EmailAddress?
    ) async throws(IdentityError) -> InvitationCode? {
        guard let text = try request.string("invitation", maxBytes: InvitationCode.maxTextBytes), !text.isEmpty else {
            return nil
        }
        guard settings.allowsInvitedSignUp else { throw .operationNotAllowed }
        let code = try InvitationCode(parsing: text, at: settings.origin)
        let address = slowsDown(request.caller) ? request.caller.address : nil
        let invitation = try await invitations.check(code, from: address).invitation
        guard !invitation.isWithoutAddress else { throw .invitationWithoutAddress }
        guard invitation.email == nil || invitation.email == email else { throw .invitationOfAnotherAddress }
        return code
    }
}

extension IdentitySettings {
    /// Whether a person may become a member, with an address or an identity, only by an invitation, or not at all.
    ///
    /// - Parameter account: The person's account, if they have one; an anonymous one makes nobody a member.
    func isClosed(to account: Account?) -> Bool {
        !allowsEmailSignUp && account?.isAnonymous ?? true
    }

    /// Returns the link with a code. The code is in the fragment, which browsers send to no server, so that no log and no
    /// `Referer` contains it.
    ///
    /// - Returns: nil if the address of the service is not known, as when it listens at all of the machine's addresses.
    func link(to code: InvitationCode) -> String? {
        let base = actionURL.hasSuffix("/account") ? String(actionURL.dropLast("/account".count)) : origin
        guard let base, !base.isEmpty, !["//*:", "//0.0.0.0:", "//[::]:"].contains(where: base.contains) else {
            return nil
        }
        return "\(base)/join#\(code.shown)"
    }

    /// The refusal of a sign-up without an invitation.
    var closedSignUp: IdentityError { allowsInvitedSignUp ? .invitationRequired : .operationNotAllowed }
}
