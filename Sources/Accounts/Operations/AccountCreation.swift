import TreeModel

/// Creates accounts for an administrator (`projects/P/accounts`); does not sign in.
struct AccountCreation: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let profile = try RequestedProfile(in: request)
        let email = try request.email()
        let isVerified = try request.bool("emailVerified") ?? false
        let isDisabled = try request.bool("disabled") ?? false
        let claims = try AccountClaims.checked(try request.string("customAttributes") ?? "{}")
        let newID = try SignUp.newID()
        let uid = try request.string("localId") ?? newID
        _ = try AccountStore.key(of: uid)
        let password = try await NewPassword(
            request.string("password"), for: request.caller.address, by: parts.passwords)
        let account = try await parts.store.transact { transaction in
            var account = Account(uid: uid, createdAt: transaction.now)
            account.email = email
            account.isEmailVerified = email != nil && isVerified
            account.isDisabled = isDisabled
            account.customClaims = claims
            profile.apply(to: &account)
            password?.apply(to: &account, isNew: true, at: transaction.now)
            try transaction.create(account)
            return account
        }
        var answer: JSONValue = [
            "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(account.uid),
        ]
        answer["email"] = account.email.map { .string($0.description) }
        answer["displayName"] = account.displayName.map(JSONValue.string)
        return answer
    }
}
