import Model
package import Tree
package import TreeModel

/// A condition that each node at a path meets in a sound tree of accounts.
package struct AccountInvariant: Sendable {
    /// The fault of a node that breaks the rule.
    package enum Kind: Sendable {
        /// The record of an account cannot be read.
        case unreadable
        /// Two accounts have the same address, number, identity or passkey; it signs in to only one of them.
        case twice
        /// The index has no entry for an account's address, number, identity or passkey.
        case unlisted
        /// An entry refers to a missing record.
        case dangling
        /// The stored number of accounts is wrong.
        case miscounted
    }

    /// The check of a node.
    package enum Check: Sendable {
        /// Returns the writes that correct a node; empty for a sound node.
        case mend(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite])
        /// Returns the description of a fault that cannot be repaired; nil for a sound node.
        case report(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> String?)
    }

    package let kind: Kind
    package let place: TreePattern
    package let check: Check

    private init(_ kind: Kind, at place: TreePath, _ check: Check) {
        (self.kind, self.place, self.check) = (kind, TreePattern(place), check)
    }

    /// All rules. The rules for indexes precede those for dangling entries, so that a repair does not delete entries
    /// that an account needs.
    package static let all: [AccountInvariant] =
        [
            AccountInvariant(
                .unreadable, at: AccountNodes.account.path,
                .report { node, snapshot throws(TreeError) in
                    isReadable(try snapshot.get(node)) ? nil : "the record of this account cannot be read"
                }),
            AccountInvariant(
                .twice, at: AccountNodes.account.path,
                .report { node, snapshot throws(TreeError) in
                    guard let account = try account(at: node, in: snapshot) else { return nil }
                    for path in account.indexPaths {
                        guard let other = try holder(of: path, in: snapshot), other.uid != account.uid else { continue }
                        return
                            "the account \(other.uid) has an address, a number, an identity or a passkey of this one, and is found by it"
                    }
                    return nil
                }),
            AccountInvariant(
                .unlisted, at: AccountNodes.account.path,
                .mend { node, snapshot throws(TreeError) in
                    guard let account = try account(at: node, in: snapshot) else { return [] }
                    var writes: [TreeWrite] = []
                    for path in account.indexPaths where try holder(of: path, in: snapshot) == nil {
                        writes.append(TreeWrite(path: path, value: .string(account.uid)))
                    }
                    return writes
                }),
        ]
        + AccountPaths.indexes.map { index in
            dangling(index / "*") { node, snapshot throws(TreeError) in
                guard let uid = try snapshot.get(node)?.stringValue.flatMap({ try? TreeKey($0) }),
                    let record = try snapshot.get(AccountNodes.account(uid))
                else { return false }
                guard isReadable(record) else { return true }
                return try holder(of: node, in: snapshot) != nil
            }
        } + [
            dangling(AccountNodes.session.pattern.parent.path) { node, snapshot throws(TreeError) in
                guard let uid = node.lastKey else { return false }
                return try snapshot.exists(AccountNodes.account(uid))
            },
            dangling(AccountNodes.invitationCode.path) { node, snapshot throws(TreeError) in
                guard let hash = node.lastKey,
                    let id = try snapshot.get(node)?.stringValue.flatMap({ try? TreeKey($0) })
                else { return false }
                return Invitation(try snapshot.get(AccountNodes.invitation() / id), at: id)?.hash == hash
            }, counting(at: AccountNodes.account()), counting(at: AccountNodes.count()),
        ]

    /// Returns the rule that each entry of a list refers to an existing record.
    private static func dangling(
        _ place: TreePath, _ hasCause: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool
    ) -> AccountInvariant {
        AccountInvariant(
            .dangling, at: place,
            .mend { node, snapshot throws(TreeError) in
                try hasCause(node, snapshot) ? [] : [TreeWrite(path: node, value: nil)]
            })
    }

    /// Returns the rule for the number of accounts. It is checked at the accounts and at the number, because either may
    /// be missing.
    private static func counting(at place: TreePath) -> AccountInvariant {
        AccountInvariant(
            .miscounted, at: place,
            .mend { node, snapshot throws(TreeError) in
                let isThere = try snapshot.exists(AccountNodes.count())
                guard node == AccountNodes.count() || !isThere else { return [] }
                let count = try snapshot.childCount(of: AccountNodes.account())
                guard count > 0 || isThere else { return [] }
                return [TreeWrite(path: AccountNodes.count(), value: .integer(Int64(count)))]
            })
    }

    /// Returns the account that an index entry refers to, if it has that address, number or identity; nil otherwise.
    private static func holder(of entry: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> Account? {
        guard let uid = try snapshot.get(entry)?.stringValue,
            let account = try AccountReader(snapshot: snapshot).account(uid), account.indexPaths.contains(entry)
        else { return nil }
        return account
    }

    private static func account(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> Account? {
        try node.lastKey.flatMap { uid throws(TreeError) in try AccountReader(snapshot: snapshot).account(uid.string) }
    }

    /// Whether a record is that of an account, with a readable address, number, identities and passkeys, if it
    /// has any.
    private static func isReadable(_ record: TreeValue?) -> Bool {
        guard let record, let account = Account(record, at: "-") else { return false }
        return (record["email"] == nil || account.email != nil)
            && (record["phone"] == nil || account.phoneNumber != nil)
            && (record["identities"] == nil || record["identities"]?.object?.count == account.identities.count)
            && (record["passkeys"] == nil || record["passkeys"]?.object?.count == account.passkeys.count)
    }
}
