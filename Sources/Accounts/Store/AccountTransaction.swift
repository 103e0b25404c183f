import Model
import Tree
import TreeModel

/// A change of accounts, their indexes, sessions and codes, in the making: one update of the tree.
struct AccountTransaction {
    let reader: AccountReader
    /// The present time.
    let now: Timestamp
    /// The times before which tokens of accounts count no more, in seconds since the epoch, by the ids of the accounts.
    private(set) var revocations: [String: Int64] = [:]
    /// The public sides of the accounts that are written or deleted.
    private(set) var shown: [ShownAccount] = []
    private var changes = MultiPathUpdate()
    private var addedCount: Int64 = 0
    /// The accounts that lose all sessions that they had.
    private var signedOut: Set<TreeKey> = []
    private var sessions: [TreeKey: [TreeKey: TreeValue?]] = [:]

    init(reader: AccountReader, now: Timestamp) {
        self.reader = reader
        self.now = now
    }

    /// The account with an id that comes from outside.
    ///
    /// - Throws: `USER_NOT_FOUND`.
    func account(_ uid: String) throws -> Account {
        guard let account = try reader.account(uid) else { throw IdentityError.userNotFound }
        return account
    }

    /// The account that an ID token proves: it may have been disabled, or the token revoked, since the token was judged.
    ///
    /// - Throws: `USER_NOT_FOUND`, `USER_DISABLED` or `TOKEN_EXPIRED`.
    func account(provedBy proof: IDTokens.Proof) throws -> Account {
        let account = try account(proof.account.uid)
        try proof.check(against: account)
        return account
    }

    // MARK: Accounts

    /// Adds an account. One that had the same id may have been deleted in this very second: its tokens stay refused.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: `DUPLICATE_LOCAL_ID`, `EMAIL_EXISTS`, `PHONE_NUMBER_EXISTS` or `FEDERATED_USER_ID_ALREADY_LINKED`.
    @discardableResult
    mutating func create(_ account: Account) throws -> Account {
        guard try reader.account(account.uid) == nil else { throw IdentityError.duplicateID }
        var account = account
        let revoked = try reader.snapshot.get(AccountNodes.revocation(try AccountStore.key(of: account.uid)))
        account.minSignInSeconds = max(account.minSignInSeconds, revoked?.integerValue ?? 0)
        try put(account, inPlaceOf: nil)
        addedCount += 1
        return account
    }

    /// Replaces an account, as this transaction has read it, by what it is to be.
    ///
    /// Its sessions end when the change says so, see ``Account/signOut(at:)``. Those of a disabled account count no more, and
    /// stay until it is enabled, so that whoever refreshes one learns why. The codes of its address fall with them, and when
    /// it gets another address.
    mutating func replace(_ old: Account, by new: Account) throws {
        guard old != new else { return }
        try put(new, inPlaceOf: old)
        if new.endsSessions {
            try signOut(new.uid, beforeSeconds: new.minSignInSeconds, keepsSessions: new.isDisabled)
        }
        if let email = old.email, new.endsSessions || new.email != email { try dropCodes(of: email) }
    }

    /// Deletes an account with all that belongs to it.
    mutating func delete(_ account: Account) throws {
        let key = try AccountStore.key(of: account.uid)
        changes[AccountNodes.account(key)] = nil
        for path in try held(by: account) { changes[path] = nil }
        if let email = account.email { try dropCodes(of: email) }
        try signOut(account.uid, beforeSeconds: now.seconds + 1)
        addedCount -= 1
        shown.append(ShownAccount(account, isDeleted: true))
    }

    /// Writes an account with its indexes.
    ///
    /// - Throws: `EMAIL_EXISTS`, `PHONE_NUMBER_EXISTS` or `FEDERATED_USER_ID_ALREADY_LINKED`.
    private mutating func put(_ new: Account, inPlaceOf old: Account?) throws {
        let key = try AccountStore.key(of: new.uid)
        if let email = new.email, email != old?.email, let other = try reader.account(email: email),
            other.uid != new.uid
        {
            throw IdentityError.emailExists
        }
        if let number = new.phoneNumber, number != old?.phoneNumber,
            let other = try reader.account(phoneNumber: number), other.uid != new.uid
        {
            throw IdentityError.phoneNumberExists
        }
        for identity in new.identities {
            if let other = try reader.account(provider: identity.provider, rawID: identity.rawID), other.uid != new.uid
            {
                throw IdentityError.alreadyLinked
            }
        }
        let paths = new.indexPaths
        for path in try old.map(held(by:)) ?? [] where !paths.contains(path) { changes[path] = nil }
        for path in paths {
            // Two accounts may have one address after damage: a change of the one takes nothing from the other.
            guard try old?.indexPaths.contains(path) != true || !isHeldByOther(path, than: new) else { continue }
            changes[path] = .string(new.uid)
        }
        changes[AccountNodes.account(key)] = new.value
        shown.append(ShownAccount(new, formerName: old?.displayName))
    }

    /// The paths at which an account is found.
    private func held(by account: Account) throws -> Set<TreePath> {
        try account.indexPaths.filter { try !isHeldByOther($0, than: account) }
    }

    /// Whether another account is found at a path.
    private func isHeldByOther(_ path: TreePath, than account: Account) throws -> Bool {
        guard let uid = try reader.snapshot.get(path)?.stringValue, uid != account.uid else { return false }
        return try reader.account(uid)?.indexPaths.contains(path) == true
    }

    // MARK: Sessions

    /// Ends all sessions of an account, and refuses tokens that were issued before a time.
    ///
    /// - Parameter keepsSessions: Whether the sessions are not deleted: who opened them may not go on all the same.
    private mutating func signOut(_ uid: String, beforeSeconds seconds: Int64, keepsSessions: Bool = false) throws {
        let key = try AccountStore.key(of: uid)
        if !keepsSessions {
            signedOut.insert(key)
            sessions[key] = nil
        }
        revocations[uid] = seconds
        changes[AccountNodes.revocation(key)] = .integer(seconds)
    }

    /// Writes a session of an account, or ends it; nil ends it.
    mutating func setSession(_ id: TreeKey, of uid: String, to session: Session?) throws {
        sessions[try AccountStore.key(of: uid), default: [:]][id] = .some(session?.value)
    }

    /// Notes in an account, as this transaction has read it, that a session of it was refreshed.
    mutating func noteRefresh(of account: Account) throws {
        let path = AccountNodes.account(try AccountStore.key(of: account.uid))
        changes[path / "last_refresh"] = now.value
    }

    /// Whether the transaction ends all sessions of an account that there were.
    func endsSessions(of uid: String) throws -> Bool { signedOut.contains(try AccountStore.key(of: uid)) }

    // MARK: Codes

    /// Writes a value of codes, which belong to an address and to no account.
    mutating func set(_ path: TreePath, to value: TreeValue?) { changes[path] = value }

    /// Ends all codes that were sent to an e-mail address.
    mutating func dropCodes(of email: EmailAddress) throws {
        let path = AccountPaths.codes(of: email)
        for code in try reader.snapshot.keys(of: path, limit: ActionCode.maxLive) {
            changes[AccountNodes.code() / code] = nil
            changes[path / code] = nil
        }
    }

    // MARK: The update

    /// All that the transaction writes.
    func update() throws -> MultiPathUpdate {
        var update = changes
        for key in signedOut {
            let opened = (sessions[key] ?? [:]).compactMapValues { $0 }
            update[AccountNodes.session(key)] = opened.isEmpty ? nil : .object(opened)
        }
        for (key, records) in sessions where !signedOut.contains(key) {
            for (id, record) in records { update[AccountNodes.session(key) / id] = record }
        }
        if addedCount != 0 {
            let count = try reader.snapshot.get(AccountNodes.count())?.integerValue ?? 0
            update[AccountNodes.count()] = .integer(count + addedCount)
        }
        return update
    }
}
