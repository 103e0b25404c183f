import Access
import Cryptography
import Model
import TreeModel

/// Where accounts are found by what names a person. Such a name is no key of the tree, for keys have a shortest alphabet and a
/// longest length: its SHA-256 is.
enum AccountPaths {
    /// The lists by which accounts are found, besides their ids.
    static let indexes = [AccountNodes.email(), AccountNodes.phone(), AccountNodes.identity()]

    /// The account with an e-mail address: its id.
    static func email(_ email: EmailAddress) -> TreePath { AccountNodes.email(hash(email.description)) }

    /// The account with a telephone number: its id.
    static func phone(_ number: String) -> TreePath { AccountNodes.phone(hash(number)) }

    /// The account that an identity elsewhere belongs to: its id.
    static func identity(_ provider: String, _ rawID: String) -> TreePath {
        AccountNodes.identity(hash("\(provider.utf8.count):\(provider)\(rawID)"))
    }

    static func code(_ code: String) -> TreePath { AccountNodes.code(hash(code)) }

    /// The live codes of an e-mail address.
    static func codes(of email: EmailAddress) -> TreePath { AccountNodes.codeOf(hash(email.description)) }

    /// The SHA-256 of a text as a key.
    static func hash(_ text: String) -> TreeKey {
        TreeKey(unchecked: Base64URL.encode(Digest.sha256(text)))
    }
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
