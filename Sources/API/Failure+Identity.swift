extension Failure {
    /// The failure behind an error of the identity endpoints, in the service's own words.
    ///
    /// - Parameters:
    ///   - message: A code such as `EMAIL_EXISTS`; words for people may follow behind ` : `.
    ///   - status: The status of the answer.
    ///   - retryAfter: The seconds after which another try makes sense, where that is known.
    package init(identityMessage message: String, status: Int, retryAfter: Int? = nil) {
        let parts = message.split(separator: " : ", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        let words = parts.count > 1 ? parts[1].prefix(1).lowercased() + parts[1].dropFirst() : ""
        if status == 429 {
            self.init(
                .tooManyRequests, "there were too many attempts", hint: "try again later", isTransient: true,
                retryAfter: retryAfter)
        } else if status >= 500 {
            self.init(
                .unavailable, "the service is busy", hint: "try again in a few seconds", isTransient: true,
                retryAfter: retryAfter)
        } else if let known = Self.identity[name] {
            self.init(known.code, words.isEmpty ? known.message : "\(known.message): \(words)", hint: known.hint)
        } else {
            self.init(
                status == 404 ? .notFound : .badRequest,
                words.isEmpty ? name.lowercased().replacing("_", with: " ") : words)
        }
    }

    private static let listsUsers = "tintype user ls lists them all"
    private static let listsKeys = "tintype key ls lists them all"

    private static let identity: [String: Failure] = [
        "USER_NOT_FOUND": Failure(.unknownUser, "there is no such account", hint: listsUsers),
        "USER_DISABLED": Failure(.wrongState, "the account is disabled", hint: "tintype user enable lets it in again"),
        "EMAIL_EXISTS": Failure(.exists, "another account has this e-mail address", hint: listsUsers),
        "DUPLICATE_LOCAL_ID": Failure(.exists, "another account has this id", hint: listsUsers),
        "INVALID_LOCAL_ID": Failure(.badUser, "this is no id"),
        "INVALID_EMAIL": Failure(.badRequest, "this is no e-mail address", hint: "such as maria@example.com"),
        "WEAK_PASSWORD": Failure(.badRequest, "the password is too weak"),
        "INVALID_CLAIMS": Failure(.badRequest, "the claims are no JSON object", hint: #"such as {"editor":true}"#),
        "CLAIMS_TOO_LARGE": Failure(.badRequest, "the claims have more than 1000 characters"),
        "FORBIDDEN_CLAIM": Failure(.badRequest, "the service itself says this claim"),
        "INSUFFICIENT_PERMISSION": Failure(
            .adminOnly, "this is for admins", hint: "ask through the Unix socket, as the service's user"),
        "PROJECT_NOT_FOUND": Failure(.notFound, "the service has another project"),
        "KEY_EXISTS": Failure(.wrongState, "there is an admin key of this name", hint: listsKeys),
        "KEY_NOT_FOUND": Failure(.notFound, "there is no admin key of this name", hint: listsKeys),
        "TOO_MANY_KEYS": Failure(.wrongState, "there are 100 admin keys", hint: "tintype key rm deletes one"),
        "INVALID_KEY_NAME": Failure(
            .badRequest, "a key's name has 1 to 64 letters, digits, hyphens and underscores"),
    ]
}
