package import Cryptography
package import TreeModel

/// A key that gives its holder all rights; only its SHA-256 digest is stored.
package struct AdminKey: Sendable, Hashable {
    /// The name for logs and lists.
    package let name: String
    /// The time at which it expires; nil for never.
    package let expiresAt: Timestamp?
    private let hash: [UInt8]

    /// Creates a key and its text, which is shown once and stored nowhere.
    ///
    /// - Throws: ``KeyError`` when the system has no randomness.
    package static func make(
        name: String, expiresAt: Timestamp? = nil
    ) throws(KeyError) -> (key: AdminKey, text: Secret) {
        let text = "tintype_" + (try RandomText.make(bytes: 32))
        let key = AdminKey(name: name, expiresAt: expiresAt, hash: Digest.sha256(text))
        return (key, Secret(text))
    }

    private init(name: String, expiresAt: Timestamp?, hash: [UInt8]) {
        (self.name, self.expiresAt, self.hash) = (name, expiresAt, hash)
    }

    /// Reads a key in the format of ``json``.
    ///
    /// - Throws: ``KeyError`` for a malformed value.
    package init(_ json: JSONValue) throws(KeyError) {
        guard let name = json["name"]?.string, let text = json["sha256"]?.string,
            let hash = Base64URL.decode(text.utf8), hash.count == 32
        else { throw KeyError("an admin key is malformed") }
        var expiry: Timestamp?
        if let member = json["expires"], member != .null {
            guard let time = member.integer else { throw KeyError("the expiry of an admin key is malformed") }
            expiry = Timestamp(milliseconds: Int64(time))
        }
        self.init(name: name, expiresAt: expiry, hash: hash)
    }

    package var json: JSONValue {
        var json: JSONValue = ["name": .string(name), "sha256": .string(Base64URL.encode(hash))]
        if let expiresAt { json["expires"] = .integer(Int(expiresAt.milliseconds)) }
        return json
    }

    /// Whether this is the key whose text has this digest; the comparison takes constant time.
    func matches(hash: [UInt8]) -> Bool { Digest.areEqual(self.hash, hash) }
}
