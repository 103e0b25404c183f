import TreeModel

/// Signs in with an identity of another provider, or links it to an account (`accounts:signInWithIdp`).
struct ProviderSignIn: Sendable {
    /// The result of an attempt.
    private enum Outcome: Sendable {
        case signedIn(SignedIn, isNew: Bool)
        /// An account with the address exists, and the provider does not vouch for the address.
        case unconfirmed(Account)
        /// Another sign-in has created or deleted the account in the meantime.
        case overtaken
    }

    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let credential = try await ProviderCredential(in: request, parts)
        let proof = request.body["idToken"] == nil ? nil : try await parts.tokens.proof(in: request)
        let invitation = try await parts.invitation(in: request, for: credential.email)
        if let proof, !parts.settings.isEmulator { try parts.tokens.checkMayChangeSignIn(proof) }
        var members = credential.members
        do throws(IdentityError) {
            switch try await outcome(credential, proof, invitation) {
            case .signedIn(let signedIn, let isNew):
                members.merge(try parts.tokens.members(for: signedIn)) { $1 }
                members["localId"] = .string(signedIn.account.uid)
                members["isNewUser"] = .bool(isNew)
                if signedIn.account.email == credential.email {
                    members["emailVerified"] = .bool(signedIn.account.isEmailVerified)
                }
            case .unconfirmed(let account):
                members["needConfirmation"] = true
                members["verifiedProvider"] = .list(Self.providers(of: account).map(JSONValue.string))
            case .overtaken: throw .unavailable(retryAfterSeconds: 1)
            }
        } catch {
            // The app receives the credential all the same, to link it after a sign-in with another method.
            guard error.status == 400, try request.bool("returnIdpCredential") ?? false else { throw error }
            members["errorMessage"] = .string(error.message)
        }
        return .object(members)
    }

    private static func providers(of account: Account) -> [String] {
        account.identities.map(\.provider) + (account.passwordHash == nil ? [] : ["password"])
    }

    /// Signs in or links; tries again when another sign-in was faster.
    private func outcome(
        _ credential: ProviderCredential, _ proof: IDTokens.Proof?, _ invitation: InvitationCode?
    ) async throws(IdentityError) -> Outcome {
        if let proof { return try await link(credential, to: proof, invitation) }
        for _ in 0..<3 {
            let outcome = try await signIn(credential, invitation)
            if case .overtaken = outcome { continue }
            return outcome
        }
        return .overtaken
    }

    /// Finds or creates the account of an identity, and opens a session.
    private func signIn(
        _ credential: ProviderCredential, _ invitation: InvitationCode?
    ) async throws(IdentityError) -> Outcome {
        let identity = credential.identity
        var candidate = try await parts.store.account(provider: identity.provider, rawID: identity.rawID)
        if candidate == nil, let email = credential.email { candidate = try await parts.store.account(email: email) }
        let newID = try SignUp.newID()
        let token = try SignUp.newToken(of: candidate?.uid ?? newID)
        return try await parts.store.transact { transaction in
            let linked = try transaction.reader.account(provider: identity.provider, rawID: identity.rawID)
            let named = try credential.email.flatMap { try transaction.reader.account(email: $0) }
            let old = linked ?? named
            guard old?.uid ?? newID == token.uid else { return .overtaken }
            if linked == nil, let named, !credential.isEmailVerified { return .unconfirmed(named) }
            try check(old, credential, invitation)
            var account = old ?? Account(selfMadeWith: token.uid, createdAt: transaction.now)
            if let invitation, old == nil { try Invitation.use(invitation, for: &account, in: &transaction) }
            if linked == nil { Self.adopt(credential, into: &account, isNew: old == nil, at: transaction.now) }
            account.link(identity)
            let signedIn = try transaction.signIn(account, inPlaceOf: old, with: token, provider: identity.provider)
            return .signedIn(signedIn, isNew: old == nil)
        }
    }

    /// Checks that an identity of a public provider does not let a stranger into a service that is closed to them; the
    /// people of the operator's own providers are no strangers.
    ///
    /// - Throws: `OPERATION_NOT_ALLOWED`.
    private func check(
        _ account: Account?, _ credential: ProviderCredential, _ invitation: InvitationCode?
    ) throws(IdentityError) {
        let settings = parts.settings
        guard invitation == nil, settings.isClosed(to: account),
            parts.proofs.isPublic(credential.identity.provider)
        else { return }
        throw settings.closedSignUp
    }

    /// Copies the provider's data into a new account, or into one with an address that the provider vouches for.
    ///
    /// The sign-in methods of an account whose address was never verified may belong to another person, who used the
    /// address in advance.
    private static func adopt(
        _ credential: ProviderCredential, into account: inout Account, isNew: Bool, at now: Timestamp
    ) {
        if !isNew, !account.isEmailVerified {
            account.passwordHash = nil
            account.passwordChangedAt = nil
            account.phoneNumber = nil
            account.identities = []
            account.passkeys = []
            account.signOut(at: now)
        }
        account.email = credential.email ?? account.email
        account.isEmailVerified = credential.isEmailVerified
        account.displayName = credential.identity.displayName ?? account.displayName
        account.photoURL = credential.identity.photoURL ?? account.photoURL
    }

    /// Links the identity to the account of a token.
    private func link(
        _ credential: ProviderCredential, to proof: IDTokens.Proof, _ invitation: InvitationCode?
    ) async throws(IdentityError) -> Outcome {
        let identity = credential.identity
        let token = try SignUp.newToken(of: proof.account.uid)
        return try await parts.store.transact { transaction in
            let old = try transaction.account(provedBy: proof)
            guard try transaction.reader.account(provider: identity.provider, rawID: identity.rawID) == nil else {
                throw IdentityError.alreadyLinked
            }
            try check(old, credential, invitation)
            var account = old
            if let invitation, old.isAnonymous { try Invitation.use(invitation, for: &account, in: &transaction) }
            if let email = credential.email {
                if let other = try transaction.reader.account(email: email), other.uid != old.uid {
                    throw IdentityError.emailExists
                }
                if account.email == nil {
                    account.email = email
                    account.isEmailVerified = credential.isEmailVerified
                } else if account.email == email, credential.isEmailVerified {
                    account.isEmailVerified = true
                }
            }
            account.displayName = account.displayName ?? identity.displayName
            account.photoURL = account.photoURL ?? identity.photoURL
            account.link(identity)
            let signedIn = try transaction.signIn(
                account, inPlaceOf: old, with: token, provider: identity.provider,
                claims: try transaction.addedClaims(of: proof))
            return .signedIn(signedIn, isNew: false)
        }
    }
}
