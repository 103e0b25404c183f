/// The nodes of accounts. What names a person, such as an e-mail address, is no key: its SHA-256 is.
package enum AccountNodes {
    package static let account = TreeNode("accounts/{uid}", in: .accounts, .service, "an account", record: "Account")
    package static let count = TreeNode("count", in: .accounts, .service, "the number of accounts")
    package static let session = TreeNode(
        "sessions/{uid}/{session}", in: .accounts, .service, "a sign-in that lasts", record: "Session")
    package static let code = TreeNode(
        "codes/{hash}", in: .accounts, .service, "a code that was sent by e-mail", record: "ActionCode",
        unaudited: "it goes by itself")
    package static let codeOf = TreeNode(
        "codes_of/{email}/{hash}", in: .accounts, .service,
        "the live codes of an e-mail address: when each was made, in milliseconds since the epoch",
        unaudited: "it goes by itself")
    package static let revocation = TreeNode(
        "revocations/{uid}", in: .accounts, .service,
        "the time before which tokens are refused, for as long as there may be any",
        unaudited: "it goes by itself")
    package static let keys = TreeNode(
        "keys", in: .accounts, .service, "the keys that sign tokens, as JSON", record: "SigningKeys",
        unaudited: "a start reads it, and refuses what is none")
    package static let adminKey = TreeNode(
        "admin_keys/{name}", in: .accounts, .service, "a key that lets its holder do everything", record: "AdminKeys",
        unaudited: "what cannot be read lets nobody in")
    package static let mediaKeys = TreeNode(
        "media_keys", in: .accounts, .service, "the keys that sign addresses of media, as JSON",
        record: "MediaSigningKeys",
        unaudited: "a start reads it, and refuses what is none")
    package static let email = TreeNode(
        "emails/{email}", in: .accounts, .service, "the account with an e-mail address: its id")
    package static let phone = TreeNode(
        "phones/{phone}", in: .accounts, .service, "the account with a telephone number: its id")
    package static let identity = TreeNode(
        "identities/{identity}", in: .accounts, .service, "the account that an identity elsewhere belongs to: its id")

    package static let all = [
        account, count, session, code, codeOf, revocation, keys, adminKey, mediaKeys, email, phone, identity,
    ]
}
