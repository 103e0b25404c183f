extension FieldDescription {
    /// The words for fields of invitations, of requests to join, and of the accounts of classes.
    static let invitations: [String: String] = [
        "accounts": "The accounts.",
        "admin": "Whether people get the claim `admin`.",
        "admits": "Whether people without an account can create one with it.",
        "audience_name": "The name of the audience; absent without one.",
        "days": "The lifetime in days.",
        "declined": "Whether it was declined.",
        "invitation": "The invitation, with its code and link.",
        "invitations": "The invitations.",
        "last_sign_in": "The time of the last sign-in; absent for never.",
        "link": "The link with the code; absent later, and where the address is not known.",
        "max_uses": "The number of times that it may be used.",
        "needs_address": "Whether an account needs an e-mail address.",
        "no_address": "Whether people enter without an e-mail address.",
        "note": "A note for those who manage it.",
        "picture": "The picture.",
        "received": "Whether it was received.",
        "sent": "Whether it is being sent; otherwise the link has to be passed on.",
        "service": "The name of the service.",
        "short": "Whether the code is a short one, which people type.",
        "uses": "The number of times that it has been used.",
    ]
}
