import Cryptography
import TreeModel

/// The public keys of an issuer, by name.
struct PublicKeySet: Sendable {
    /// The longest document that is read, in bytes.
    static let maxBytes = 256 << 10
    private static let maxKeys = 100

    private struct Key: Sendable {
        let id: String?
        let key: VerificationKey
    }

    private let keys: [Key]

    /// Reads a JSON Web Key Set (RFC 7517 §5), or an object with a certificate or a public key in PEM for each name.
    ///
    /// Keys that are for another purpose, weak or invalid are left out: they verify no token.
    ///
    /// - Throws: ``KeyError`` for a document that is not a key set, or has no usable key.
    init(document: [UInt8]) throws(KeyError) {
        guard document.count <= Self.maxBytes, let json = JSONValue(text: document), let members = json.members else {
            throw KeyError("the document is not a key set")
        }
        if let list = json["keys"]?.elements {
            keys = list.prefix(Self.maxKeys).compactMap { entry in
                (try? WebKey.verificationKey(entry)).map { Key(id: entry["kid"]?.string, key: $0) }
            }
        } else {
            keys = members.prefix(Self.maxKeys).compactMap { name, pem in
                pem.string.flatMap { try? VerificationKey(pem: $0) }.map { Key(id: name, key: $0) }
            }
        }
        guard !keys.isEmpty else { throw KeyError("the document has no usable key") }
    }

    /// Returns the key that a token names as its signer; nil if the name does not exist, or if the token names none and
    /// there are several.
    func key(for token: WebToken) -> VerificationKey? {
        guard let id = token.keyID else { return keys.count == 1 ? keys[0].key : nil }
        let named = keys.filter { $0.id?.isSame(as: id) ?? false }
        // Keys of several algorithms may have one name (RFC 7517 §4.5).
        return (named.first { $0.key.algorithm.rawValue == token.algorithm } ?? named.first)?.key
    }
}
