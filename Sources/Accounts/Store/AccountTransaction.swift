import Model
import Tree
import TreeModel

/// A transaction on accounts, their indexes, sessions and codes; it is written as one update of the tree.
struct AccountTransaction {
    let reader: AccountReader
    /// The current time.
    let now: Timestamp
    /// The times before which tokens of accounts are revoked, in seconds since the epoch, by account id.
    private(set) var revocations: [String: Int64] = [:]
    /// The public data of the accounts that are written or deleted.
    private(set) var shown: [ShownAccount] = []
    private var changes = MultiPathUpdate()
    private var addedCount: Int64 = 0
    /// The accounts whose existing sessions end.
    private var signedOut: Set<TreeKey> = []
    private var sessions: [TreeKey: [TreeKey: TreeValue?]] = [:]

    init(reader: AccountReader, now: Timestamp) {
        self.reader = reader
        self.now = now
    }

    /// Returns the account with an id from a request.
    ///
    /// - Throws: `USER_NOT_FOUND`.
    func account(_ uid: String) throws -> Account {
        guard let account = try reader.account(uid) else { throw IdentityError.userNotFound }
        return account
    }

    /// Returns the account that an ID token proves; checks again that it is not disabled and the token not revoked.
    ///
    /// - Throws: `USER_NOT_FOUND`, `USER_DISABLED` or `TOKEN_EXPIRED`.
    func account(provedBy proof: IDTokens.Proof) throws -> Account {
        let account = try account(proof.account.uid)
        try proof.check(against: account)
        return account
    }

    // MARK: Accounts

    /// Adds an account. If an account with the same id was deleted in the same second, its tokens stay refused.
    ///
    /// - Returns: The account as it is stored.
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

    /// Replaces an account that this transaction has read.
    ///
    /// Its sessions end when the change requires it; see ``Account/signOut(at:)``. The sessions of a disabled account
    /// are not valid but are kept until it is enabled, so that a refresh reports the reason. The codes of its address
    /// are deleted when the sessions end, and when the address changes.
    ///
    /// - Returns: The account as it is stored.
    @discardableResult
    mutating func replace(_ old: Account, by new: Account) throws -> Account {
        guard old != new else { return new }
        var new = new
        // Sign-ins since an earlier change of the same second count as later than it; this change ends them, too.
        if new.endsSessions, old.minSignInSeconds > now.seconds, new.minSignInSeconds == old.minSignInSeconds {
            new.minSignInSeconds += 1
        }
        try put(new, inPlaceOf: old)
        if new.endsSessions {
            try signOut(new.uid, beforeSeconds: new.minSignInSeconds, keepsSessions: new.isDisabled)
        }
        if let email = old.email, new.endsSessions || new.email != email { try dropCodes(of: email) }
        return new
    }

    /// Deletes an account with all its data.
    mutating func delete(_ account: Account) throws {
        let key = try AccountStore.key(of: account.uid)
        changes[AccountNodes.account(key)] = nil
        for path in try held(by: account) { changes[path] = nil }
        if let email = account.email { try dropCodes(of: email) }
        try signOut(account.uid, beforeSeconds: max(now.seconds, account.minSignInSeconds) + 1)
        addedCount -= 1
        shown.append(ShownAccount(account, isDeleted: true))
    }

    /// Writes an account with its index entries.
    ///
    /// - Throws: `EMAIL_EXISTS`, `PHONE_NUMBER_EXISTS`, `FEDERATED_USER_ID_ALREADY_LINKED` or
    ///   `INVALID_AUTHENTICATOR_RESPONSE` for a passkey of another account.
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
        let earlier = old?.passkeys.map(\.id) ?? []
        for passkey in new.passkeys where !earlier.contains(passkey.id) {
            if let other = try reader.account(passkey: passkey.id), other.uid != new.uid {
                throw IdentityError.passkeyExists
            }
        }
        let (paths, oldPaths) = (new.indexPaths, old?.indexPaths ?? [])
        for path in try old.map(held(by:)) ?? [] where !paths.contains(path) { changes[path] = nil }
        for path in paths {
            // After damage, two accounts may have one address; a change of one must not delete the other's index entry.
            guard try !oldPaths.contains(path) || !isHeldByOther(path, than: new) else { continue }
            changes[path] = .string(new.uid)
        }
        changes[AccountNodes.account(key)] = new.value
        shown.append(ShownAccount(new, formerName: old?.displayName))
    }

    /// Returns the paths of the index entries that refer to the account.
    private func held(by account: Account) throws -> Set<TreePath> {
        try account.indexPaths.filter { try !isHeldByOther($0, than: account) }
    }

    /// Whether the index entry at a path refers to another account.
    private func isHeldByOther(_ path: TreePath, than account: Account) throws -> Bool {
        guard let uid = try reader.snapshot.get(path)?.stringValue, uid != account.uid else { return false }
        return try reader.account(uid)?.indexPaths.contains(path) == true
    }

    // MARK: Sessions

    /// Ends all sessions of an account, and refuses tokens that were issued before a time.
    ///
    /// - Parameter keepsSessions: Whether the sessions are kept; they cannot be used all the same.
    private mutating func signOut(_ uid: String, beforeSeconds seconds: Int64, keepsSessions: Bool = false) throws {
        let key = try AccountStore.key(of: uid)
        if !keepsSessions {
            signedOut.insert(key)
            sessions[key] = nil
        }
        revocations[uid] = seconds
        changes[AccountNodes.revocation(key)] = .integer(seconds)
    }

    /// Writes a session of an account; nil ends it.
    mutating func setSession(_ id: TreeKey, of uid: String, to session: Session?) throws {
        sessions[try AccountStore.key(of: uid), default: [:]][id] = .some(session?.value)
    }

    /// Records a refresh of a session in an account that this transaction has read.
    mutating func noteRefresh(of account: Account) throws {
        let path = AccountNodes.account(try AccountStore.key(of: account.uid))
        changes[path / "last_refresh"] = now.value
    }

    /// Whether the transaction ends all existing sessions of an account.
    func endsSessions(of uid: String) throws -> Bool { signedOut.contains(try AccountStore.key(of: uid)) }

    // MARK: Codes

    /// Sets a value of the codes, which belong to an address and not to an account.
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

    /// Returns all writes of the transaction.
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
