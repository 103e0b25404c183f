import Model
import Tree
import TreeModel

/// Reads accounts in one snapshot of the tree.
struct AccountReader {
    let snapshot: TreeSnapshot

    func account(_ uid: String) throws(TreeError) -> Account? {
        guard let key = try? AccountStore.key(of: uid), let record = try snapshot.get(AccountNodes.account(key)) else {
            return nil
        }
        return Account(record, at: key)
    }

    func account(email: EmailAddress) throws(TreeError) -> Account? { try account(at: AccountPaths.email(email)) }

    func account(phoneNumber: String) throws(TreeError) -> Account? {
        try account(at: AccountPaths.phone(phoneNumber))
    }

    func account(provider: String, rawID: String) throws(TreeError) -> Account? {
        try account(at: AccountPaths.identity(provider, rawID))
    }

    func account(passkey id: String) throws(TreeError) -> Account? { try account(at: AccountPaths.passkey(id)) }

    /// Returns the account whose id is stored at a path.
    private func account(at path: TreePath) throws(TreeError) -> Account? {
        guard let uid = try snapshot.get(path)?.stringValue else { return nil }
        return try account(uid)
    }
}
