import Access
import Cryptography
import Model
import TreeModel

/// The paths of the indexes of accounts. Addresses, numbers and identities may be too long for a key of the tree, or
/// contain other characters; their SHA-256 is the key.
enum AccountPaths {
    /// The indexes of accounts, apart from the ids.
    static let indexes = [AccountNodes.email(), AccountNodes.phone(), AccountNodes.identity(), AccountNodes.passkey()]

    /// Returns the path of the index entry for an e-mail address; its value is the id of the account.
    static func email(_ email: EmailAddress) -> TreePath { AccountNodes.email(hash(email.description)) }

    /// Returns the path of the index entry for a telephone number; its value is the id of the account.
    static func phone(_ number: String) -> TreePath { AccountNodes.phone(hash(number)) }

    /// Returns the path of the index entry for an identity with another provider; its value is the id of the account.
    static func identity(_ provider: String, _ rawID: String) -> TreePath {
        AccountNodes.identity(hash("\(provider.utf8.count):\(provider)\(rawID)"))
    }

    /// Returns the path of the index entry for a passkey; its value is the id of the account.
    static func passkey(_ id: String) -> TreePath { AccountNodes.passkey(hash(id)) }

    static func code(_ code: String) -> TreePath { AccountNodes.code(hash(code)) }

    /// Returns the path of the valid codes of an e-mail address.
    static func codes(of email: EmailAddress) -> TreePath { AccountNodes.codeOf(hash(email.description)) }

    /// Returns the SHA-256 of a text as a key.
    static func hash(_ text: String) -> TreeKey {
        TreeKey(unchecked: Base64URL.encode(Digest.sha256(text)))
    }
}

extension Account {
    /// The paths of the index entries that contain the account's id.
    var indexPaths: Set<TreePath> {
        var paths = Set(identities.map { AccountPaths.identity($0.provider, $0.rawID) })
        for passkey in passkeys { paths.insert(AccountPaths.passkey(passkey.id)) }
        if let email { paths.insert(AccountPaths.email(email)) }
        if let phoneNumber { paths.insert(AccountPaths.phone(phoneNumber)) }
        return paths
    }
}
