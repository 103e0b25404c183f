import TintypeModel

/// Sign-ins with the token of another provider (`signInWithIdp`).
extension TokenGrant {
    /// Returns the fields of such a request.
    static func fields(
        _ provider: String, _ token: String, _ nonce: String?, invitation: String?
    ) -> [String: JSONValue?] {
        var form = ["providerId": provider, "id_token": token]
        form["nonce"] = nonce
        return [
            "postBody": .string(PercentEncoding.form(form)), "requestUri": "http://localhost",
            "returnSecureToken": true, "invitation": invitation.map(JSONValue.string),
        ]
    }

    /// Reads the answer.
    ///
    /// - Throws: `Problem` with the code `confirmationNeeded`; `TransportError` for an answer without tokens.
    init(ofProvider answer: JSONValue) throws {
        guard answer["needConfirmation"] != true else {
            throw Problem(
                .confirmationNeeded, status: 409, message: "The address has an account already.",
                hint: "Sign in to it, and add the provider.")
        }
        try self.init(answer)
    }
}
