/// The nodes of accounts. Keys are not names of people, such as an e-mail address, but their SHA-256.
package enum AccountNodes {
    package static let account = TreeNode("accounts/{uid}", in: .accounts, .service, "an account", record: "Account")
    package static let count = TreeNode("count", in: .accounts, .service, "the number of accounts")
    package static let setup = TreeNode(
        "setup", in: .accounts, .service, "whether the first setup has begun and has not ended: `true`",
        unaudited: "it is deleted with the first admin")
    package static let session = TreeNode(
        "sessions/{uid}/{session}", in: .accounts, .service, "the session of a sign-in", record: "Session")
    package static let code = TreeNode(
        "codes/{hash}", in: .accounts, .service, "a code that was sent by e-mail", record: "ActionCode",
        unaudited: "it is deleted by itself")
    package static let codeOf = TreeNode(
        "codes_of/{email}/{hash}", in: .accounts, .service,
        "the valid codes of an e-mail address: the time of each one's creation, in milliseconds since the epoch",
        unaudited: "it is deleted by itself")
    package static let revocation = TreeNode(
        "revocations/{uid}", in: .accounts, .service,
        "the time before which tokens are refused, for as long as such tokens may exist",
        unaudited: "it is deleted by itself")
    package static let keys = TreeNode(
        "keys", in: .accounts, .service, "the keys that sign tokens, as JSON", record: "SigningKeys",
        unaudited: "a start reads it, and refuses an invalid value")
    package static let adminKey = TreeNode(
        "admin_keys/{name}", in: .accounts, .service, "a key whose holder may do everything", record: "AdminKeys",
        unaudited: "a key that cannot be read grants nothing")
    package static let mediaKeys = TreeNode(
        "media_keys", in: .accounts, .service, "the keys that sign addresses of media, as JSON",
        record: "MediaSigningKeys",
        unaudited: "a start reads it, and refuses an invalid value")
    package static let email = TreeNode(
        "emails/{email}", in: .accounts, .service, "the id of the account with an e-mail address")
    package static let phone = TreeNode(
        "phones/{phone}", in: .accounts, .service, "the id of the account with a telephone number")
    package static let identity = TreeNode(
        "identities/{identity}", in: .accounts, .service,
        "the id of the account that an identity of another provider belongs to")
    package static let passkey = TreeNode(
        "passkeys/{passkey}", in: .accounts, .service, "the id of the account that a passkey belongs to")
    package static let invitation = TreeNode(
        "invitations/{id}", in: .accounts, .service, "an invitation", record: "Invitation",
        unaudited: "an invitation that cannot be read admits nobody")
    package static let invitationCode = TreeNode(
        "invitation_codes/{hash}", in: .accounts, .service, "the id of the invitation with a code")
    package static let joinRequest = TreeNode(
        "join_requests/{id}", in: .accounts, .service, "a request to join", record: "JoinRequest",
        unaudited: "a request that cannot be read is deleted by itself")

    package static let all = [
        account, count, setup, session, code, codeOf, revocation, keys, adminKey, mediaKeys, email, phone, identity,
        passkey, invitation, invitationCode, joinRequest,
    ]
}
