extension Failure {
    /// Creates the failure for an error of the identity endpoints, in the service's own words.
    ///
    /// - Parameters:
    ///   - message: A code such as `EMAIL_EXISTS`; a text for people may follow after ` : `.
    ///   - status: The status of the response.
    ///   - retryAfter: The seconds after which another attempt makes sense, if that is known.
    package init(identityMessage message: String, status: Int, retryAfter: Int? = nil) {
        let parts = message.split(separator: " : ", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        let words = parts.count > 1 ? parts[1].prefix(1).lowercased() + parts[1].dropFirst() : ""
        if status == 429 {
            self.init(
                .tooManyRequests, "there were too many attempts", hint: "Try again later.", isTransient: true,
                retryAfter: retryAfter)
        } else if status >= 500 {
            self.init(
                .unavailable, "the service is busy", hint: "Try again in a few seconds.", isTransient: true,
                retryAfter: retryAfter)
        } else if let known = Self.identity[name] {
            self.init(known.code, words.isEmpty ? known.message : "\(known.message): \(words)", hint: known.hint)
        } else {
            self.init(
                status == 404 ? .notFound : .badRequest,
                words.isEmpty ? name.lowercased().replacing("_", with: " ") : words)
        }
    }

    private static let listsUsers = "List all accounts with tintype user ls."
    private static let listsKeys = "List all keys with tintype key ls."

    private static let identity: [String: Failure] = [
        "USER_NOT_FOUND": Failure(.unknownUser, "the account does not exist", hint: listsUsers),
        "USER_DISABLED": Failure(.wrongState, "the account is disabled", hint: "Enable it with tintype user enable."),
        "EMAIL_EXISTS": Failure(.exists, "another account has this e-mail address", hint: listsUsers),
        "DUPLICATE_LOCAL_ID": Failure(.exists, "another account has this id", hint: listsUsers),
        "INVALID_LOCAL_ID": Failure(.badUser, "the id is invalid"),
        "INVALID_EMAIL": Failure(
            .badRequest, "the e-mail address is invalid", hint: "Use an address such as maria@example.com."),
        "WEAK_PASSWORD": Failure(.badRequest, "the password is too weak"),
        "INVALID_CLAIMS": Failure(
            .badRequest, "the claims are not a JSON object", hint: #"Write them as {"editor":true}."#),
        "CLAIMS_TOO_LARGE": Failure(.badRequest, "the claims have more than 1000 characters"),
        "FORBIDDEN_CLAIM": Failure(.badRequest, "the claim is reserved for the service"),
        "INSUFFICIENT_PERMISSION": Failure(
            .adminOnly, "this is for admins", hint: "Use the Unix socket, as the service's user."),
        "PROJECT_NOT_FOUND": Failure(.notFound, "the service has another project id"),
        "KEY_EXISTS": Failure(.wrongState, "an admin key of this name exists already", hint: listsKeys),
        "KEY_NOT_FOUND": Failure(.notFound, "an admin key of this name does not exist", hint: listsKeys),
        "TOO_MANY_KEYS": Failure(.wrongState, "there are 100 admin keys", hint: "Delete one with tintype key rm."),
        "INVITATION_NOT_FOUND": Failure(
            .invitationUnknown, "there is no invitation with this code",
            hint: "Check each character, or ask for another."),
        "INVITATION_OF_ANOTHER_SERVICE": Failure(
            .invitationElsewhere, "the invitation is for another service", hint: "Open the link itself."),
        "INVITATION_EXPIRED": Failure(
            .invitationExpired, "the invitation has expired", hint: "Ask the person who invited you for another."),
        "INVITATION_USED_UP": Failure(
            .invitationUsedUp, "the invitation has been used", hint: "Ask the person who invited you for another."),
        "INVITATION_WITHDRAWN": Failure(
            .invitationWithdrawn, "the invitation was withdrawn", hint: "Ask the person who invited you."),
        "TOO_MANY_INVITATIONS": Failure(
            .wrongState, "there are too many valid invitations", hint: "Withdraw some with DELETE /v1/invitations/{id}."
        ),
        "TOO_MANY_MEMBERS": Failure(.badAudience, "the audience has as many members as it can have"),
        "AUDIENCE_NOT_FOUND": Failure(
            .notFound, "the audience does not exist", hint: "Create it with PUT /v1/audiences/{id}."),
        "JOIN_REQUEST_NOT_FOUND": Failure(
            .notFound, "the request to join does not exist", hint: "List them with GET /v1/join-requests."),
        "TOO_MANY_JOIN_REQUESTS": Failure(.wrongState, "too many requests to join wait", hint: "Try again later."),
        "NOT_OWNER": Failure(.notAllowed, "this is for the owners of the audience", hint: "Ask one of them."),
        "OPERATION_NOT_ALLOWED": Failure(.notAllowed, "the service does not allow this", hint: "Ask its operator."),
        "INVALID_KEY_NAME": Failure(
            .badRequest, "a key's name has 1 to 64 letters, digits, hyphens and underscores"),
    ]
}
