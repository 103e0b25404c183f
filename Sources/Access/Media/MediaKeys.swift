package import Cryptography
package import TreeModel

/// The secrets that sign addresses of media: the one that signs, and the one before it, which still verifies older
/// addresses.
package struct MediaKeys: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    struct Key: Sendable, Hashable {
        let id: String
        let secret: [UInt8]
    }

    /// The keys, the newest first.
    private let keys: [Key]

    /// Creates the keys with a first key.
    ///
    /// - Throws: ``KeyError`` when the system has no randomness.
    package init() throws(KeyError) { keys = [try Self.makeKey()] }

    private init(keys: [Key]) { self.keys = keys }

    private static func makeKey() throws(KeyError) -> Key {
        Key(id: try RandomText.make(bytes: 6), secret: try RandomText.bytes(32))
    }

    /// Returns the keys with a new one that signs, and the last one; addresses that older keys signed are no longer
    /// valid.
    ///
    /// - Throws: ``KeyError`` when the system has no randomness.
    package func rotated() throws(KeyError) -> MediaKeys { MediaKeys(keys: [try Self.makeKey()] + keys.prefix(1)) }

    package var description: String { "\(keys.count) keys [hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The key that signs.
    var newest: Key { keys[0] }

    /// Returns the key with this name; nil if it does not exist.
    func key(named id: some StringProtocol) -> Key? { keys.first { $0.id.utf8.elementsEqual(id.utf8) } }

    /// Reads keys in the format of ``json``.
    ///
    /// - Throws: ``KeyError`` for a malformed value.
    package init(_ json: JSONValue) throws(KeyError) {
        guard let list = json["keys"]?.elements, (1...2).contains(list.count) else {
            throw KeyError("the keys of media are malformed")
        }
        var keys: [Key] = []
        for entry in list {
            guard let id = entry["id"]?.string, Base64URL.decode(id.utf8) != nil, let text = entry["secret"]?.string,
                let secret = Base64URL.decode(text.utf8), secret.count >= 32
            else { throw KeyError("a key of media is malformed") }
            keys.append(Key(id: id, secret: secret))
        }
        self.init(keys: keys)
    }

    /// The keys as JSON, for a protected file.
    package var json: JSONValue {
        let list = keys.map { key -> JSONValue in
            ["id": .string(key.id), "secret": .string(Base64URL.encode(key.secret))]
        }
        return ["keys": .list(list)]
    }
}
