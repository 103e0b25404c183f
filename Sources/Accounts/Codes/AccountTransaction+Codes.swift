import Model
import Tree
import TreeModel

extension AccountTransaction {
    /// The longest code that is read, in bytes.
    private static let maxCodeBytes = 256

    /// Stores a new code; deletes the oldest one of the address when there are too many.
    mutating func add(_ code: ActionCode, text: String) throws {
        let live = try reader.snapshot.children(of: AccountPaths.codes(of: code.email), limit: ActionCode.maxLive)
        if live.count >= ActionCode.maxLive {
            let oldest = live.min { ($0.value.integerValue ?? 0) < ($1.value.integerValue ?? 0) }
            if let oldest { drop(oldest.key, of: code.email) }
        }
        let path = AccountPaths.code(text)
        set(path, to: code.value)
        if let key = path.lastKey { set(AccountPaths.codes(of: code.email) / key, to: now.value) }
    }

    /// Returns the code with this text; nil if it is invalid, used or expired.
    func code(_ text: String) throws -> ActionCode? {
        guard text.utf8.count <= Self.maxCodeBytes, let record = try reader.snapshot.get(AccountPaths.code(text)),
            let code = ActionCode(record), code.expiresAt > now
        else { return nil }
        return code
    }

    /// Uses a code of one of the kinds; it is not valid afterwards.
    ///
    /// - Throws: `INVALID_OOB_CODE`.
    mutating func take(_ text: String, _ kinds: ActionCode.Kind...) throws -> ActionCode {
        guard let code = try code(text), kinds.contains(code.kind), let key = AccountPaths.code(text).lastKey else {
            throw IdentityError.invalidCode
        }
        drop(key, of: code.email)
        return code
    }

    /// Uses a code that belongs to an account, and returns that account.
    ///
    /// - Throws: `INVALID_OOB_CODE`, also when the account is disabled, or its sessions have been ended since the code
    ///   was created.
    mutating func takeWithAccount(_ text: String, _ kinds: ActionCode.Kind...) throws -> (ActionCode, Account) {
        guard let code = try code(text), kinds.contains(code.kind), let key = AccountPaths.code(text).lastKey,
            let account = try reader.account(email: code.email), !account.isDisabled,
            code.owner == ActionCode.Owner(account)
        else { throw IdentityError.invalidCode }
        drop(key, of: code.email)
        return (code, account)
    }

    /// Deletes a code by its hash.
    private mutating func drop(_ key: TreeKey, of email: EmailAddress) {
        set(AccountNodes.code() / key, to: nil)
        set(AccountPaths.codes(of: email) / key, to: nil)
    }
}
