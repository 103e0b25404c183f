import TreeModel

/// Looks up accounts (`accounts:lookup`).
struct AccountLookup: Sendable {
    /// The largest number of accounts that a request may name.
    private static let maxNames = 100

    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        var answer: JSONValue = ["kind": "identitytoolkit#GetAccountInfoResponse"]
        if request.caller.isAdmin, request.body["idToken"] == nil {
            let accounts = try await named(in: request)
            // SDKs recognise a missing account by the missing member.
            answer["users"] = accounts.isEmpty ? nil : .list(accounts.map(\.document))
        } else {
            answer["users"] = [try await parts.tokens.proof(in: request).account.document]
        }
        return answer
    }

    /// Returns the accounts that an administrator names, without duplicates.
    private func named(in request: IdentityRequest) async throws(IdentityError) -> [Account] {
        var accounts: [Account] = []
        func add(_ account: Account?) {
            if let account, !accounts.contains(where: { $0.uid == account.uid }) { accounts.append(account) }
        }
        for uid in try request.strings("localId", maxCount: Self.maxNames) { add(try await parts.store.account(uid)) }
        for text in try request.strings("email", maxCount: Self.maxNames) {
            if let email = EmailAddress(text) { add(try await parts.store.account(email: email)) }
        }
        for number in try request.strings("phoneNumber", maxCount: Self.maxNames) {
            add(try await parts.store.account(phoneNumber: number))
        }
        for identity in try request.objects("federatedUserId", maxCount: Self.maxNames) {
            let (provider, rawID) = (try identity.string("providerId"), try identity.string("rawId"))
            guard let provider, let rawID else { continue }
            add(try await parts.store.account(provider: provider, rawID: rawID))
        }
        return accounts
    }
}
