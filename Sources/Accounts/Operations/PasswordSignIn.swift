import TreeModel

/// Signs in with an e-mail address and a password (`accounts:signInWithPassword`).
struct PasswordSignIn: Sendable {
    let parts: IdentityParts

    /// Performs the sign-in.
    ///
    /// Wrong passwords, addresses without an account and accounts without a password are refused with the same error
    /// and after the same work.
    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let email = try request.email(missing: "EMAIL")
        let password = try request.string("password", missing: "PASSWORD")
        let address = request.caller.address
        let isSlowedDown = parts.slowsDown(request.caller)
        if isSlowedDown { try parts.throttle.beginPassword(for: email, from: address) }
        let known = try await parts.store.account(email: email)
        let comparison = try await parts.passwords.compare(password, with: known?.passwordHash, for: address)
        guard comparison != .wrong, let known else {
            guard !parts.hidesAccounts else { throw .invalidCredentials }
            throw known == nil ? .emailNotFound : .invalidPassword
        }
        if isSlowedDown { parts.throttle.passwordWasRight(for: email, from: address) }
        let stronger =
            comparison == .rightButWeak ? try await parts.passwords.hash(password, for: address) : known.passwordHash
        let token = try SignUp.newToken(of: known.uid)
        let signedIn = try await parts.store.transact { transaction in
            let old = try transaction.account(token.uid)
            // The password, the address or the account may have changed during the comparison.
            guard old.passwordHash == known.passwordHash, old.email == email else {
                throw IdentityError.invalidCredentials
            }
            var account = old
            account.passwordHash = stronger
            return try transaction.signIn(account, inPlaceOf: old, with: token, provider: "password")
        }
        var members = try parts.tokens.members(for: signedIn)
        members["kind"] = "identitytoolkit#VerifyPasswordResponse"
        members["registered"] = true
        members["localId"] = .string(signedIn.account.uid)
        members["email"] = .string(email.description)
        members["displayName"] = .string(signedIn.account.displayName ?? "")
        members["profilePicture"] = signedIn.account.photoURL.map(JSONValue.string)
        return .object(members)
    }
}
