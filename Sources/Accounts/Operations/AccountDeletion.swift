import TreeModel

/// Deletes accounts with all their data (`accounts:delete`, `accounts:batchDelete`).
struct AccountDeletion: Sendable {
    let parts: IdentityParts

    func run(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        if request.caller.isAdmin, request.body["idToken"] == nil {
            let uid = try request.string("localId", missing: "LOCAL_ID")
            try await parts.store.transact { transaction in try transaction.delete(try transaction.account(uid)) }
        } else {
            let proof = try await parts.tokens.proof(in: request)
            if !parts.settings.isEmulator { try parts.tokens.checkRecent(proof) }
            try await parts.store.transact { transaction in
                try transaction.delete(try transaction.account(provedBy: proof))
            }
        }
        return ["kind": "identitytoolkit#DeleteAccountResponse"]
    }

    /// Deletes many accounts; accounts that are not disabled only with `force`.
    func batch(_ request: IdentityRequest) async throws(IdentityError) -> JSONValue {
        let ids = try request.strings("localIds")
        guard !ids.isEmpty else { throw IdentityError("LOCAL_ID_LIST_EXCEEDS_LIMIT") }
        let isForced = try request.bool("force") ?? false
        var errors: [JSONValue] = []
        for (index, uid) in ids.enumerated() {
            let isKept = try await parts.store.transact { transaction in
                guard let account = try transaction.reader.account(uid) else { return false }
                guard account.isDisabled || isForced else { return true }
                try transaction.delete(account)
                return false
            }
            guard isKept else { continue }
            errors.append([
                "index": .integer(index), "localId": .string(uid),
                "message": "NOT_DISABLED : Disable the account before batch deletion.",
            ])
        }
        return errors.isEmpty ? [:] : ["errors": .list(errors)]
    }
}
