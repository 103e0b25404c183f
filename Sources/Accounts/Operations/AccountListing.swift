import TreeModel

/// Lists accounts for administrators (`accounts:batchGet`, `accounts:query`).
struct AccountListing: Sendable {
    /// The largest number of accounts in a page of `batchGet`.
    private static let maxPage = 1000
    private static let defaultPage = 20
    /// The largest number of accounts in a response to `query`.
    private static let maxQuery = 500
    /// The largest offset of a `query`.
    private static let maxOffset: Int64 = 10_000

    let parts: IdentityParts

    /// Returns a page in the order of ids; `nextPageToken` is the last id of the previous page.
    func page(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let asked = Int(try request.integer("maxResults") ?? 0)
        let limit = asked == 0 ? Self.defaultPage : min(asked, Self.maxPage)
        let token = try request.string("nextPageToken").flatMap { $0.isEmpty ? nil : $0 }
        let accounts = try await parts.store.page(after: token, limit: limit)
        var answer: JSONValue = ["kind": "identitytoolkit#DownloadAccountResponse"]
        answer["users"] = .list(accounts.map(\.document))
        if accounts.count == limit, let last = accounts.last { answer["nextPageToken"] = .string(last.uid) }
        return answer
    }

    /// Finds or counts accounts.
    func query(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        guard try request.bool("returnUserInfo") ?? true else {
            return ["recordsCount": .string(String(try await parts.store.count()))]
        }
        let expressions = try request.objects("expression", maxCount: 10)
        let accounts = expressions.isEmpty ? try await all(request) : try await found(expressions)
        return ["recordsCount": .string(String(accounts.count)), "userInfo": .list(accounts.map(\.document))]
    }

    /// Returns accounts in the order of their ids.
    private func all(_ request: IdentityRequest) async throws(IdentityError) -> [Account] {
        let sortBy = try request.string("sortBy") ?? "USER_ID"
        let order = try request.string("order") ?? "ASC"
        guard ["USER_ID", "SORT_BY_FIELD_UNSPECIFIED"].contains(sortBy), ["ASC", "ORDER_UNSPECIFIED"].contains(order)
        else { throw IdentityError("INVALID_ARGUMENT : Accounts come in the order of USER_ID only") }
        let offset = try request.integer("offset") ?? 0
        guard offset <= Self.maxOffset else {
            throw IdentityError("INVALID_ARGUMENT : An offset beyond \(Self.maxOffset): use batchGet")
        }
        let asked = try request.integer("limit").map(Int.init) ?? Self.maxQuery
        let limit = asked == 0 ? Self.maxQuery : min(asked, Self.maxQuery)
        var last: String?
        if offset > 0 {
            guard let uid = try await parts.store.id(atIndex: Int(offset) - 1) else { return [] }
            last = uid
        }
        return try await parts.store.page(after: last, limit: limit)
    }

    /// Returns the accounts that match any of the expressions, without duplicates.
    private func found(_ expressions: [IdentityRequest]) async throws(IdentityError) -> [Account] {
        var accounts: [Account] = []
        for expression in expressions {
            var found: [Account?] = []
            if let uid = try expression.string("userId") { found.append(try await parts.store.account(uid)) }
            if let email = try expression.string("email").flatMap(EmailAddress.init) {
                found.append(try await parts.store.account(email: email))
            }
            if let number = try expression.string("phoneNumber") {
                found.append(try await parts.store.account(phoneNumber: number))
            }
            for account in found.compactMap(\.self) where !accounts.contains(where: { $0.uid == account.uid }) {
                accounts.append(account)
            }
        }
        return accounts
    }
}
