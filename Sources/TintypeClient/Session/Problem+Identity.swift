public import TintypeModel

extension Problem.Code {
    /// The address has an account already.
    public static let emailExists: Problem.Code = "EMAIL_EXISTS"
    /// The text is not an e-mail address, or not the one that a code was sent to.
    public static let invalidEmail: Problem.Code = "INVALID_EMAIL"
    /// The password is too short.
    public static let weakPassword: Problem.Code = "WEAK_PASSWORD"
    /// The address or the password is wrong, or a child's name or picture.
    public static let invalidCredentials: Problem.Code = "INVALID_LOGIN_CREDENTIALS"
    /// An admin has disabled the account.
    public static let userDisabled: Problem.Code = "USER_DISABLED"
    /// There were too many attempts; `retryAfter` says how long to wait.
    public static let tooManyAttempts: Problem.Code = "TOO_MANY_ATTEMPTS_TRY_LATER"
    /// The service does not allow this way in, or only with an invitation.
    public static let operationNotAllowed: Problem.Code = "OPERATION_NOT_ALLOWED"
    /// The service has no anonymous accounts.
    public static let adminOnly: Problem.Code = "ADMIN_ONLY_OPERATION"
    /// The person must have signed in within the last five minutes for this.
    public static let credentialTooOld: Problem.Code = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    /// The code of a message is wrong, or was used already.
    public static let invalidCode: Problem.Code = "INVALID_OOB_CODE"
    /// The code of a message has expired.
    public static let expiredCode: Problem.Code = "EXPIRED_OOB_CODE"
    /// The custom token is not valid.
    public static let invalidCustomToken: Problem.Code = "INVALID_CUSTOM_TOKEN"
    /// The token of the provider is not valid.
    public static let invalidProviderToken: Problem.Code = "INVALID_IDP_RESPONSE"
    /// The provider does not vouch for its address, which has an account: the person must sign in to that and add the
    /// provider.
    public static let confirmationNeeded: Problem.Code = "NEED_CONFIRMATION"
    /// The provider's account belongs to another person here.
    public static let alreadyLinked: Problem.Code = "FEDERATED_USER_ID_ALREADY_LINKED"
    /// The answer of the device to a challenge was refused, such as one that came too late.
    public static let invalidPasskeyResponse: Problem.Code = "INVALID_AUTHENTICATOR_RESPONSE"
    /// The account has no such passkey, or the passkey belongs to no account any more.
    public static let passkeyNotFound: Problem.Code = "PASSKEY_ENROLLMENT_NOT_FOUND"
    /// Somebody in the class has the name already.
    public static let nameExists: Problem.Code = "NAME_EXISTS"
    /// There is no invitation with this code.
    public static let invitationNotFound: Problem.Code = "INVITATION_NOT_FOUND"
    /// The invitation was used as often as it may be.
    public static let invitationUsedUp: Problem.Code = "INVITATION_USED_UP"
    /// The invitation is too old.
    public static let invitationExpired: Problem.Code = "INVITATION_EXPIRED"
    /// The invitation was withdrawn.
    public static let invitationWithdrawn: Problem.Code = "INVITATION_WITHDRAWN"

    /// Whether a refresh token with this answer is of no use any more.
    var endsSession: Bool {
        ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"].contains(rawValue)
    }

    /// Whether an identity endpoint has rejected the ID token.
    var rejectsIDToken: Bool { ["TOKEN_EXPIRED", "INVALID_ID_TOKEN"].contains(rawValue) }
}

extension Problem {
    /// Whether the service has rejected the token itself, rather than the request.
    var rejectsToken: Bool {
        guard status == 401 else { return false }
        // The database has no codes, but these texts.
        return code == .badToken || message == "Auth token is expired" || message == "Could not parse auth token."
    }
}
