import Access
import TreeModel

/// Imports accounts (`accounts:batchCreate`).
struct AccountImport: Sendable {
    /// The largest number of accounts in a request, as in Firebase.
    private static let maxUsers = 1000
    /// The largest number of accounts in a request whose passwords must be hashed here, which takes a tenth of a second
    /// each.
    private static let maxPasswords = 50

    let parts: IdentityParts

    /// A checked account of the request.
    private struct Entry: Sendable {
        let account: Account
        let password: NewPassword?
    }

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let users = try request.objects("users", maxCount: Self.maxUsers)
        guard !users.isEmpty else { throw .missing("USER_ACCOUNT") }
        let overwrites = try request.bool("allowOverwrite") ?? false
        guard users.count(where: { $0.body["rawPassword"] != nil }) <= Self.maxPasswords else {
            throw IdentityError("INVALID_ARGUMENT : At most \(Self.maxPasswords) passwords at a time")
        }
        var errors: [JSONValue] = []
        for (index, user) in users.enumerated() {
            do throws(IdentityError) {
                try await add(try await entry(user, hashing: request), overwrites: overwrites)
            } catch {
                guard error.status < 500 else { throw error }
                errors.append(["index": .integer(index), "message": .string(error.message)])
            }
        }
        var answer: JSONValue = ["kind": "identitytoolkit#UploadAccountResponse"]
        if !errors.isEmpty { answer["error"] = .list(errors) }
        return answer
    }

    /// Checks an account of the request.
    ///
    /// - Throws: The fault of the account.
    private func entry(_ user: IdentityRequest, hashing request: IdentityRequest) async throws(IdentityError) -> Entry {
        let uid = try user.string("localId", missing: "LOCAL_ID")
        _ = try AccountStore.key(of: uid)
        let now = parts.store.now
        var account = Account(uid: uid, createdAt: try user.moment("createdAt") ?? now)
        account.validSinceSeconds = now.seconds
        account.minSignInSeconds = account.validSinceSeconds
        account.email = try user.email()
        let isVerified = try user.bool("emailVerified") ?? false
        account.isEmailVerified = account.email != nil && isVerified
        account.isDisabled = try user.bool("disabled") ?? false
        account.lastSignInAt = try user.moment("lastLoginAt")
        try RequestedProfile(in: user).apply(to: &account)
        if let text = try user.string("customAttributes") { account.customClaims = try AccountClaims.checked(text) }
        for provider in try user.objects("providerUserInfo", maxCount: 20) {
            guard let name = try provider.string("providerId"), !["password", "phone"].contains(name) else { continue }
            account.link(try FederatedIdentity(in: provider))
        }
        if let hash = try user.string("passwordHash"), !hash.isEmpty {
            account.passwordHash = try ImportedHash(hash, of: user, in: request).hash
            account.passwordChangedAt = now
        }
        let password = try await NewPassword(
            user.string("rawPassword"), for: request.caller.address, by: parts.passwords)
        return Entry(account: account, password: password)
    }

    /// Writes an account of the request.
    ///
    /// - Throws: `EMAIL_EXISTS` or a similar error, or a text for people if an account with its id exists.
    private func add(_ entry: Entry, overwrites: Bool) async throws(IdentityError) {
        try await parts.store.transact { transaction in
            var account = entry.account
            entry.password?.apply(to: &account, isNew: true, at: transaction.now)
            if let old = try transaction.reader.account(account.uid) {
                guard overwrites else {
                    throw IdentityError("localId belongs to an existing account - can not overwrite.")
                }
                // The old sign-ins stay revoked, so all users must sign in again.
                account.minSignInSeconds = max(account.minSignInSeconds, old.minSignInSeconds)
                account.signOut(at: transaction.now)
                try transaction.replace(old, by: account)
            } else {
                try transaction.create(account)
            }
        }
    }
}
