import Access
import Cryptography
import TreeModel

extension Namespace {
    /// Accounts, their sessions and codes: a tree that clients cannot reach.
    static let accounts = Namespace(reserved: "accounts")
}

/// Where things stand in the tree of accounts.
///
/// What names a person, such as an e-mail address, is no key of the tree: keys have a shortest alphabet and a longest
/// length. Its SHA-256 is.
enum AccountPaths {
    /// The accounts by their ids.
    static let accounts = path("accounts")
    /// The number of accounts.
    static let count = path("count")
    /// The sessions by the ids of their accounts, and then by their own.
    static let sessions = path("sessions")
    /// The codes by their hashes.
    static let codes = path("codes")
    /// The times before which tokens are refused, by the ids of accounts, for as long as such tokens may be about.
    static let revocations = path("revocations")
    /// The keys that sign tokens.
    static let keys = path("keys")
    /// The keys that let their holders do everything, by their names.
    static let adminKeys = path("admin_keys")
    /// The keys that sign addresses of media.
    static let mediaKeys = path("media_keys")

    static func account(_ uid: TreeKey) -> TreePath { accounts / uid }

    private static let (emails, phones, identities) = (path("emails"), path("phones"), path("identities"))
    /// The lists by which accounts are found, besides their ids.
    static let indexes = [emails, phones, identities]

    /// The account with an e-mail address: its id.
    static func email(_ email: EmailAddress) -> TreePath { emails / hash(email.description) }

    /// The account with a telephone number: its id.
    static func phone(_ number: String) -> TreePath { phones / hash(number) }

    /// The account that an identity elsewhere belongs to: its id.
    static func identity(_ provider: String, _ rawID: String) -> TreePath {
        identities / hash("\(provider.utf8.count):\(provider)\(rawID)")
    }

    static func sessions(of uid: TreeKey) -> TreePath { sessions / uid }

    static func code(_ code: String) -> TreePath { codes / hash(code) }

    /// The live codes of an e-mail address, by their hashes, each with when it was made.
    static func codes(of email: EmailAddress) -> TreePath { path("codes_of") / hash(email.description) }

    static func revocation(of uid: TreeKey) -> TreePath { revocations / uid }

    /// The SHA-256 of a text as a key.
    static func hash(_ text: String) -> TreeKey {
        TreeKey(unchecked: Base64URL.encode(Digest.sha256(text)))
    }

    private static func path(_ key: TreeKey) -> TreePath { TreePath([key], in: .accounts) }
}

extension Account {
    /// The paths at which the account's id stands.
    var indexPaths: Set<TreePath> {
        var paths = Set(identities.map { AccountPaths.identity($0.provider, $0.rawID) })
        if let email { paths.insert(AccountPaths.email(email)) }
        if let phoneNumber { paths.insert(AccountPaths.phone(phoneNumber)) }
        return paths
    }
}
