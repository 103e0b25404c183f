import Access
import Model
package import Tree
import TreeModel

/// The accounts, in a tree that no client can reach.
///
/// Each change is one durable update that includes the indexes: a reader sees an account together with its index
/// entries, or neither. Methods may be called from any task.
package struct AccountStore: Sendable {
    /// Reports that tokens of an account issued before a time, in seconds since the epoch, are revoked.
    package typealias RevocationHandler = @Sendable (_ uid: String, _ beforeSeconds: Int64) -> Void

    /// Adds the public data of an account to its update.
    package typealias PersonUpdate = @Sendable (ShownAccount, TreeSnapshot, inout MultiPathUpdate) throws -> Void

    let tree: TreeStore
    let clock: @Sendable () -> Timestamp
    private let updatePerson: PersonUpdate
    let onRevocation: RevocationHandler

    /// - Parameters:
    ///   - clock: Returns the current time.
    ///   - updatePerson: Called for each account that is written or deleted, in the same transaction.
    ///   - onRevocation: Called for each revocation once it is durable, and by ``revocationFollower``.
    package init(
        tree: TreeStore, clock: @escaping @Sendable () -> Timestamp = WallClock.now,
        updatePerson: @escaping PersonUpdate = { _, _, _ in },
        onRevocation: @escaping RevocationHandler = { _, _ in }
    ) {
        self.tree = tree
        self.clock = clock
        self.updatePerson = updatePerson
        self.onRevocation = onRevocation
    }

    /// The current time.
    package var now: Timestamp { clock() }

    // MARK: Reading

    /// Returns the account with an id; nil if it does not exist.
    package func account(_ uid: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(uid) }
    }

    /// Returns the account with an e-mail address; nil if it does not exist.
    package func account(email: EmailAddress) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(email: email) }
    }

    /// Returns the account with a telephone number; nil if it does not exist.
    package func account(phoneNumber: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(phoneNumber: phoneNumber) }
    }

    /// Returns the account that an identity with another provider belongs to; nil if it does not exist.
    package func account(provider: String, rawID: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(provider: provider, rawID: rawID) }
    }

    /// Returns the account that a passkey belongs to; nil if it does not exist.
    func account(passkey id: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(passkey: id) }
    }

    /// Returns a page of accounts in the order of their ids; the cost depends only on the size of the page.
    ///
    /// - Parameter uid: The last id of the previous page; nil for the first page.
    package func page(after uid: String? = nil, limit: Int) async throws(IdentityError) -> [Account] {
        var range = KeyRange.all
        if let uid { range = .after(try Self.key(of: uid)) }
        return try await read { [range] reader throws(TreeError) in
            try reader.snapshot.children(of: AccountNodes.account(), range: range, limit: limit)
                .compactMap { Account($0.value, at: $0.key) }
        }
    }

    /// Returns the id of the account at an index in the order of ids; the cost grows with the index.
    func id(atIndex index: Int) async throws(IdentityError) -> String? {
        try await read { reader throws(TreeError) in
            let keys = try reader.snapshot.keys(of: AccountNodes.account(), limit: index + 1)
            return keys.count > index ? keys.last?.string : nil
        }
    }

    /// Returns the number of accounts.
    package func count() async throws(IdentityError) -> Int {
        try await read { reader throws(TreeError) in
            Int(try reader.snapshot.get(AccountNodes.count())?.integerValue ?? 0)
        }
    }

    /// Returns an id as a key of the tree.
    ///
    /// - Throws: `INVALID_LOCAL_ID` for an id that is too long, or contains a character that a key may not contain.
    static func key(of uid: String) throws(IdentityError) -> TreeKey {
        guard uid.utf16.count <= Account.maxIDLength, let key = try? TreeKey(uid) else {
            throw IdentityError("INVALID_LOCAL_ID : An id has 1 to 128 characters, without . $ # [ ] /")
        }
        return key
    }

    /// Reads one state of the tree.
    func read<Value: Sendable>(
        _ body: @Sendable (AccountReader) throws(TreeError) -> Value
    ) async throws(IdentityError) -> Value {
        do {
            return try await tree.snapshot { snapshot in try body(AccountReader(snapshot: snapshot)) }
        } catch {
            throw Self.translated(error)
        }
    }

    // MARK: Writing

    /// Reads, decides and writes in one transaction; see `TreeStore.transact`.
    ///
    /// The body may run twice, and must not block.
    func transact<Value: Sendable>(
        _ body: @escaping @Sendable (inout AccountTransaction) throws -> Value
    ) async throws(IdentityError) -> Value {
        let now = now
        do {
            let (result, revocations) = try await tree.transact { [updatePerson] snapshot, update in
                var transaction = AccountTransaction(reader: AccountReader(snapshot: snapshot), now: now)
                let value = try body(&transaction)
                update = try transaction.update()
                for account in transaction.shown { try updatePerson(account, snapshot, &update) }
                return (value, transaction.revocations)
            }.result
            for (uid, seconds) in revocations { onRevocation(uid, seconds) }
            return result
        } catch {
            throw Self.translated(error)
        }
    }

    /// Returns the error for the caller; internal errors are not disclosed.
    private static func translated(_ error: any Error) -> IdentityError {
        (error as? IdentityError) ?? .unavailable(reason: "\(error)")
    }
}
