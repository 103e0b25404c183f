import Cryptography
import Foundation
import Model
package import TreeModel

/// A passkey of an account: a key on a device of the person, or in its cloud.
package struct Passkey: Hashable, Sendable {
    /// The largest number of passkeys of an account.
    package static let maxPerAccount = 20
    /// The longest id, in bytes (WebAuthn §5.8.3).
    static let maxIDBytes = 1023
    /// The name of the method of sign-in in ID tokens.
    static let provider = "passkey"
    /// The longest name, in characters.
    private static let maxNameLength = 100

    /// The id that the authenticator chose, in base64url; unique among all accounts.
    package let id: String
    /// The name by which the person knows it.
    package let name: String
    /// The numbers of the public key, in base64url; see ``PasskeyKey/point``.
    let publicKey: String
    /// The number of signatures that the authenticator has reported.
    private(set) var counter: Int64
    /// The time at which it was added.
    package let createdAt: Timestamp
    /// The time of the last sign-in with it; nil if there was none.
    package private(set) var lastUsedAt: Timestamp?

    /// The public key; nil if the stored one cannot be read.
    var key: PasskeyKey? { Base64URL.decode(publicKey.utf8).flatMap(PasskeyKey.init(point:)) }

    /// Records a signature.
    ///
    /// - Returns: Whether the counter of the authenticator has grown, or does not count. Otherwise a copy of the key may be
    ///   in use, and nothing is recorded.
    mutating func use(counter: Int64, at now: Timestamp) -> Bool {
        guard counter > self.counter || counter == 0 && self.counter == 0 else { return false }
        self.counter = counter
        lastUsedAt = now
        return true
    }

    /// The id in plain Base64, as Firebase's SDK for iOS sends and compares it.
    var shownID: String { Data(Base64URL.decode(id.utf8) ?? []).base64EncodedString() }

    /// The passkey as lookups return it.
    var document: JSONValue {
        ["credentialId": .string(shownID), "name": .string(name)]
    }

    /// Returns the id in a request as it is stored; nil if it is none.
    static func id(sent text: String) -> String? {
        guard let bytes = PasskeyText.bytes(text), (1...maxIDBytes).contains(bytes.count) else { return nil }
        return Base64URL.encode(bytes)
    }

    /// Returns the name in a request; a usual one if the person gave none.
    ///
    /// - Throws: `INVALID_ARGUMENT` for a text that is not one visible line of a bounded length.
    static func name(in request: IdentityRequest) throws(IdentityError) -> String {
        guard let text = try request.string("name"), !text.isEmpty else { return "Passkey" }
        guard let line = PostText.checked(text, maxCharacters: maxNameLength), !line.isEmpty,
            !line.contains(where: \.isNewline)
        else { throw .invalidValue("name") }
        return line
    }

    /// Returns the id by which authenticators know an account: that of the account, or a hash of it where that is too long
    /// (WebAuthn §5.4.3).
    static func handle(of uid: String) -> [UInt8] {
        uid.utf8.count <= 64 ? Array(uid.utf8) : Digest.sha256(uid)
    }
}

extension Passkey {
    /// Creates a passkey from the statement about a new credential.
    init(_ credential: AuthenticatorData.Credential, name: String, counter: Int64, at now: Timestamp) {
        self.init(
            id: Base64URL.encode(credential.id), name: name, publicKey: Base64URL.encode(credential.key.point),
            counter: counter, createdAt: now)
    }
}

// MARK: - Stored form

extension Passkey: TreeRecord {
    package static let form = RecordForm(
        Self.init(id:name:publicKey:counter:createdAt:lastUsedAt:), .init("id", \.id), .init("name", \.name),
        .init("key", \.publicKey), .init("counter", \.counter), .init("created", \.createdAt),
        .init("used", \.lastUsedAt))
}

extension Passkey: ListElement {
    /// Returns the passkeys in the order in which they were added.
    package static func list(_ value: TreeValue) -> [Passkey] {
        (value.object ?? [:]).values.compactMap { Self($0) }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Returns passkeys keyed by the hashes of their ids.
    package static func value(of list: [Passkey]) -> TreeValue {
        .object(Dictionary(list.map { (AccountPaths.hash($0.id), $0.value) }) { $1 })
    }
}
