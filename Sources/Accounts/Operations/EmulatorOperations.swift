import TreeModel

/// The operations that only an emulator has, for tests of apps (`/emulator/v1/projects/P/…`).
struct EmulatorOperations: Sendable {
    let parts: IdentityParts

    /// Deletes all accounts.
    func deleteAll() async throws(IdentityError) -> JSONValue {
        while true {
            let accounts = try await parts.store.page(limit: 200)
            guard !accounts.isEmpty else { break }
            try await parts.store.transact { transaction in
                for account in accounts {
                    if let account = try transaction.reader.account(account.uid) { try transaction.delete(account) }
                }
            }
        }
        parts.emulator.removeCodes()
        return [:]
    }

    /// Returns the codes that were created last.
    func codes() -> JSONValue { ["oobCodes": .list(parts.emulator.codes)] }

    func config() -> JSONValue {
        [
            "signIn": ["allowDuplicateEmails": false],
            "emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(parts.hidesAccounts)],
        ]
    }

    /// Changes whether responses hide which addresses have accounts.
    ///
    /// - Throws: `OPERATION_NOT_ALLOWED` for a request to allow several accounts with one address.
    func updateConfig(_ request: IdentityRequest) throws(IdentityError) -> JSONValue {
        guard request.body["signIn"]?["allowDuplicateEmails"] != true else { throw .operationNotAllowed }
        if let hides = request.body["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool {
            parts.emulator.hidesAccounts = hides
        }
        return config()
    }
}
