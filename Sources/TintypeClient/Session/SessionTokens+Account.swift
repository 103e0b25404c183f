import TintypeModel

extension SessionTokens {
    /// Sends a request about one's own account with a token, once more if the token is rejected.
    ///
    /// - Returns: The answer, and the generation in which the request was sent.
    func callAsUser(
        _ operation: String, _ fields: [String: JSONValue?] = [:]
    ) async throws -> (answer: JSONValue, generation: Int) {
        for isRepeated in [false, true] {
            guard let token = try await token() else { throw SessionError.signedOut }
            let begun = generation
            do {
                let own: [String: JSONValue?] = ["idToken": .string(token)]
                return (try await identity.call(operation, fields.merging(own) { $1 }), begun)
            } catch let problem as Problem where !isRepeated && problem.code.rejectsIDToken {
                guard try await renew(token) else { throw problem }
            }
        }
        throw SessionError.signedOut
    }
}
