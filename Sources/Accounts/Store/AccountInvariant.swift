import Model
package import Tree
package import TreeModel

/// A condition that each node of a place in a sound tree of accounts meets.
package struct AccountInvariant: Sendable {
    /// The fault of a node that breaks the rule.
    package enum Kind: Sendable {
        /// The record of an account cannot be read.
        case unreadable
        /// Two accounts have one address, number or identity: only one of them can be signed in to by it.
        case twice
        /// An account is not found by its address, number or identity.
        case unlisted
        /// Nothing stands behind an entry.
        case dangling
        /// The number of accounts is another one.
        case miscounted
    }

    /// The check of a node.
    package enum Check: Sendable {
        /// The writes that make a node right; none where it is.
        case mend(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite])
        /// The fault in words, of a kind that nobody can mend; nil where there is none.
        case report(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> String?)
    }

    package let kind: Kind
    package let place: TreePattern
    package let check: Check

    private init(_ kind: Kind, at place: TreePath, _ check: Check) {
        (self.kind, self.place, self.check) = (kind, TreePattern(place), check)
    }

    /// All rules. What an account is found by comes before what is found: a repair lets nothing dangle that an account needs.
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
                            "the account \(other.uid) has an address, a number or an identity of this one, and is found by it"
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
            }, counting(at: AccountNodes.account()), counting(at: AccountNodes.count()),
        ]

    /// A list of which each entry has something behind it.
    private static func dangling(
        _ place: TreePath, _ hasCause: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> Bool
    ) -> AccountInvariant {
        AccountInvariant(
            .dangling, at: place,
            .mend { node, snapshot throws(TreeError) in
                try hasCause(node, snapshot) ? [] : [TreeWrite(path: node, value: nil)]
            })
    }

    /// The number of accounts, looked at where there is any, and where there is a number: one of both may be lost.
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

    /// The account that stands at an entry by which accounts are found, and is to be found there; nil for none.
    private static func holder(of entry: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> Account? {
        guard let uid = try snapshot.get(entry)?.stringValue,
            let account = try AccountReader(snapshot: snapshot).account(uid), account.indexPaths.contains(entry)
        else { return nil }
        return account
    }

    private static func account(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> Account? {
        try node.lastKey.flatMap { uid throws(TreeError) in try AccountReader(snapshot: snapshot).account(uid.string) }
    }

    /// Whether a record is one of an account, with an address, a number and identities that can be read, if it has any.
    private static func isReadable(_ record: TreeValue?) -> Bool {
        guard let record, let account = Account(record, at: "-") else { return false }
        return (record["email"] == nil || account.email != nil)
            && (record["phone"] == nil || account.phoneNumber != nil)
            && (record["identities"] == nil || record["identities"]?.object?.count == account.identities.count)
    }
}
