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
        "INVALID_KEY_NAME": Failure(
            .badRequest, "a key's name has 1 to 64 letters, digits, hyphens and underscores"),
    ]
}
