import Access
import Model
package import Tree
import TreeModel

/// The accounts, in a tree that no client can reach.
///
/// Each change is one durable update that keeps the indexes with it: whoever reads sees an account with its address, or
/// neither. Methods may be called from any task.
package struct AccountStore: Sendable {
    /// Tells that tokens of an account, issued before a time in seconds since the epoch, count no more.
    package typealias RevocationHandler = @Sendable (_ uid: String, _ beforeSeconds: Int64) -> Void

    /// Adds to the update of an account what others see of it.
    package typealias PersonUpdate = @Sendable (ShownAccount, TreeSnapshot, inout MultiPathUpdate) throws -> Void

    let tree: TreeStore
    let clock: @Sendable () -> Timestamp
    private let updatePerson: PersonUpdate
    private let onRevocation: RevocationHandler

    /// - Parameters:
    ///   - clock: The present time.
    ///   - updatePerson: Is called for each account that is written or deleted, in the same transaction.
    ///   - onRevocation: Is told of each revocation once it is durable.
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

    /// The present time.
    package var now: Timestamp { clock() }

    // MARK: Reading

    /// The account with an id; nil when there is none.
    package func account(_ uid: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(uid) }
    }

    /// The account with an e-mail address; nil when there is none.
    package func account(email: EmailAddress) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(email: email) }
    }

    /// The account with a telephone number; nil when there is none.
    package func account(phoneNumber: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(phoneNumber: phoneNumber) }
    }

    /// The account that an identity elsewhere belongs to; nil when there is none.
    package func account(provider: String, rawID: String) async throws(IdentityError) -> Account? {
        try await read { reader throws(TreeError) in try reader.account(provider: provider, rawID: rawID) }
    }

    /// A page of accounts in the order of their ids; costs its own size, however many there are.
    ///
    /// - Parameter uid: The last id of the page before; nil for the first page.
    package func page(after uid: String? = nil, limit: Int) async throws(IdentityError) -> [Account] {
        var range = KeyRange.all
        if let uid { range = .after(try Self.key(of: uid)) }
        return try await read { [range] reader throws(TreeError) in
            try reader.snapshot.children(of: AccountNodes.account(), range: range, limit: limit)
                .compactMap { Account($0.value, at: $0.key) }
        }
    }

    /// The id of the account that stands at an index in the order of ids; costs a search for each before.
    func id(atIndex index: Int) async throws(IdentityError) -> String? {
        try await read { reader throws(TreeError) in
            let keys = try reader.snapshot.keys(of: AccountNodes.account(), limit: index + 1)
            return keys.count > index ? keys.last?.string : nil
        }
    }

    /// The number of accounts.
    package func count() async throws(IdentityError) -> Int {
        try await read { reader throws(TreeError) in
            Int(try reader.snapshot.get(AccountNodes.count())?.integerValue ?? 0)
        }
    }

    /// An id as a key of the tree.
    ///
    /// - Throws: `INVALID_LOCAL_ID` for one that is too long, or has a character that no key has.
    static func key(of uid: String) throws(IdentityError) -> TreeKey {
        guard uid.utf16.count <= Account.maxIDLength, let key = try? TreeKey(uid) else {
            throw IdentityError("INVALID_LOCAL_ID : An id has 1 to 128 characters, without . $ # [ ] /")
        }
        return key
    }

    /// Reads one state of the tree.
    private func read<Value: Sendable>(
        _ body: @Sendable (AccountReader) throws(TreeError) -> Value
    ) async throws(IdentityError) -> Value {
        do {
            return try await tree.snapshot { snapshot in try body(AccountReader(snapshot: snapshot)) }
        } catch {
            throw Self.translated(error)
        }
    }

    // MARK: Writing

    /// Reads, decides and writes, so that what was read still holds when it is written; see `TreeStore.transact`.
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

    /// What a caller learns of a failure: the service's own trouble is none of its business.
    private static func translated(_ error: any Error) -> IdentityError {
        (error as? IdentityError) ?? .unavailable(reason: "\(error)")
    }
}
