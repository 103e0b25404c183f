import TreeModel

/// Uses codes that were sent by e-mail (`accounts:resetPassword`, `accounts:update` with a code,
/// `accounts:signInWithEmailLink`).
struct CodeUse: Sendable {
    let parts: IdentityParts

    /// Returns the purpose of a code; with a new password, uses the code.
    func resetPassword(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let text = try request.string("oobCode", missing: "OOB_CODE")
        let code = try await parts.store.transact { transaction in
            guard let code = try transaction.code(text) else { throw IdentityError.invalidCode }
            return code
        }
        if let password = try request.string("newPassword"), !password.isEmpty {
            guard code.kind == .resetPassword else { throw .invalidCode }
            let hashed = try await NewPassword(password, for: request.caller.address, by: parts.passwords)
            try await parts.store.transact { transaction in
                let (_, old) = try transaction.takeWithAccount(text, .resetPassword)
                var account = old
                // Identities and passkeys from before the address was verified may belong to another person.
                if !old.isEmailVerified { (account.identities, account.passkeys) = ([], []) }
                account.isEmailVerified = true
                hashed?.apply(to: &account, at: transaction.now)
                account.signOut(at: transaction.now)
                try transaction.replace(old, by: account)
            }
        }
        var answer: JSONValue = [
            "kind": "identitytoolkit#ResetPasswordResponse", "requestType": .string(code.kind.rawValue),
        ]
        // A sign-in code is valid only together with the address, so the address is not returned.
        if code.kind != .signIn { answer["email"] = .string(code.email.description) }
        answer["newEmail"] = code.newEmail.map { .string($0.description) }
        return answer
    }

    /// Verifies the address of an account, or changes it.
    func applyToAccount(_ text: String) async throws(IdentityError) -> JSONValue {
        let account = try await parts.store.transact { transaction in
            let (code, old) = try transaction.takeWithAccount(text, .verifyEmail, .changeEmail)
            var account = old
            if code.kind == .changeEmail {
                guard let newEmail = code.newEmail else { throw IdentityError.invalidCode }
                account.email = newEmail
                account.signOut(at: transaction.now)
            }
            account.isEmailVerified = true
            try transaction.replace(old, by: account)
            return account
        }
        var members = account.updateDocument
        members["kind"] = "identitytoolkit#SetAccountInfoResponse"
        return .object(members)
    }

    /// Signs in a person with the code that was sent to their address.
    func signIn(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let email = try request.email(missing: "EMAIL")
        let text = try request.string("oobCode", missing: "OOB_CODE")
        let proof = request.body["idToken"] == nil ? nil : try await parts.tokens.proof(in: request)
        if let proof, !parts.settings.isEmulator { try parts.tokens.checkMayChangeSignIn(proof) }
        let invitation = try await parts.invitation(in: request, for: email)
        let known = try await parts.store.account(email: email)
        if let proof, let known, known.uid != proof.account.uid { throw .emailExists }
        let newID = try SignUp.newID()
        let token = try SignUp.newToken(of: (proof?.account ?? known)?.uid ?? newID)
        let (signedIn, isNew) = try await parts.store.transact { transaction in
            let code = try transaction.take(text, .signIn)
            guard code.email == email else { throw IdentityError.invalidEmail }
            let old = try proof.map { try transaction.account(provedBy: $0) } ?? transaction.reader.account(token.uid)
            let settings = parts.settings
            guard invitation != nil || !settings.isClosed(to: old) else {
                throw settings.closedSignUp
            }
            var account = old ?? Account(selfMadeWith: token.uid, createdAt: transaction.now)
            if let invitation, old?.isAnonymous ?? true {
                try Invitation.use(invitation, for: &account, in: &transaction)
            }
            if account.email == email, !account.isEmailVerified {
                // Another person may have used the address before it was verified.
                account.passwordHash = nil
                account.identities = []
                account.passkeys = []
                account.signOut(at: transaction.now)
            }
            if account.email != nil, account.email != email { account.signOut(at: transaction.now) }
            account.email = email
            account.isEmailVerified = true
            account.signsInByEmailLink = true
            let signedIn = try transaction.signIn(account, inPlaceOf: old, with: token, provider: "password")
            return (signedIn, old == nil)
        }
        var members = try parts.tokens.members(for: signedIn)
        members["kind"] = "identitytoolkit#EmailLinkSigninResponse"
        members["email"] = .string(email.description)
        members["localId"] = .string(signedIn.account.uid)
        members["isNewUser"] = .bool(isNew)
        return .object(members)
    }
}
