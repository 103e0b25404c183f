import TreeModel

/// Changes accounts for their owners and for administrators (`accounts:update`).
struct AccountUpdate: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        if let code = try request.string("oobCode"), !code.isEmpty {
            return try await CodeUse(parts: parts).applyToAccount(code)
        }
        if request.caller.isAdmin, request.body["idToken"] == nil { return try await byAdmin(request) }
        guard request.body["idToken"] != nil else {
            throw IdentityError("INVALID_REQ_TYPE : Unsupported request parameters.")
        }
        return try await byOwner(request)
    }

    // MARK: Changes by the owner

    /// Changes the account of a token; a change of the address or password issues new tokens and ends all sessions.
    private func byOwner(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        for name in [
            "customAttributes", "validSince", "emailVerified", "phoneNumber", "linkProviderUserInfo",
        ] {
            guard request.body[name] == nil else { throw .insufficientPermission }
        }
        guard request.body["disableUser"] == nil else { throw .operationNotAllowed }
        let proof = try await parts.tokens.proof(in: request)
        guard try request.string("localId") ?? proof.account.uid == proof.account.uid else {
            throw .insufficientPermission
        }
        let change = try AccountChange(in: request)
        if change.locksOthersOut || request.body["password"] != nil, !parts.settings.isEmulator {
            try parts.tokens.checkMayChangeSignIn(proof)
        }
        // An anonymous account does not become a member's by a change of its address or password.
        let settings = parts.settings
        if change.asksForAddress || request.body["password"] != nil, settings.isClosed(to: proof.account) {
            throw settings.closedSignUp
        }
        if change.asksForAddress, parts.slowsDown(request.caller) {
            try parts.throttle.signUp(from: request.caller.address)
        }
        let password = try await NewPassword(
            request.string("password"), for: request.caller.address, by: parts.passwords)
        let token = try SignUp.newToken(of: proof.account.uid)
        let (account, signedIn) = try await parts.store.transact { transaction in
            let old = try transaction.account(provedBy: proof)
            var account = old
            try change.apply(to: &account)
            password?.apply(to: &account, at: transaction.now)
            let isSignedOut = password != nil || account.email != old.email
            guard isSignedOut else {
                try transaction.replace(old, by: account)
                return (account, SignedIn?.none)
            }
            account.signOut(at: transaction.now)
            let signedIn = try transaction.signIn(
                account, inPlaceOf: old, with: token, provider: password == nil ? proof.provider : "password",
                claims: try transaction.addedClaims(of: proof))
            return (signedIn.account, signedIn)
        }
        return try answer(account, signedIn)
    }

    // MARK: Changes by an administrator

    /// Changes any account.
    private func byAdmin(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let uid = try request.string("localId", missing: "LOCAL_ID")
        let change = try AccountChange(in: request)
        let rights = try AdminChange(in: request)
        let password = try await NewPassword(
            request.string("password"), for: request.caller.address, by: parts.passwords)
        let account = try await parts.store.transact { transaction in
            let old = try transaction.account(uid)
            var account = old
            try change.apply(to: &account)
            rights.apply(to: &account, in: old, at: transaction.now)
            password?.apply(to: &account, at: transaction.now)
            if account.email != old.email { account.signOut(at: transaction.now) }
            try transaction.replace(old, by: account)
            return account
        }
        return try answer(account, nil)
    }

    private func answer(_ account: Account, _ signedIn: SignedIn?) throws(IdentityError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if let signedIn { members = try parts.tokens.members(for: signedIn) }
        members["kind"] = "identitytoolkit#SetAccountInfoResponse"
        for (name, value) in account.updateDocument { members[name] = value }
        return .object(members)
    }
}

extension Account {
    /// The account as responses to changes return it.
    var updateDocument: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "localId": .string(uid), "emailVerified": .bool(isEmailVerified),
            "providerUserInfo": .list(providerDocuments),
        ]
        members["email"] = email.map { .string($0.description) }
        members["displayName"] = displayName.map(JSONValue.string)
        members["photoUrl"] = photoURL.map(JSONValue.string)
        members["passwordHash"] = passwordHash.map { _ in Account.redactedHash }
        return members
    }
}
