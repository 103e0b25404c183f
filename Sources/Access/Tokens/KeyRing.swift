package import Cryptography
package import TreeModel

/// The service's own keys for ID tokens: one that signs, those that signed, and one that will.
///
/// A new key is published at once and signs after ``publicationMilliseconds``, when whoever keeps a copy of the public
/// keys has a new copy. A key that signs no more verifies until the last token that it signed has expired.
package struct KeyRing: Sendable, CustomStringConvertible, CustomReflectable {
    /// How long others may keep a copy of the public keys, in seconds: the `max-age` of the answer that has them.
    package static let cacheSeconds = 3600
    /// The longest life of a token, in seconds.
    package static let maxLifetimeSeconds = 86_400
    /// How long a key is published before it signs, in milliseconds.
    static let publicationMilliseconds = Int64(2 * cacheSeconds * 1000)

    /// A key and its times, in milliseconds since the epoch.
    struct Key: Sendable {
        let id: String
        let created: Int64
        /// From when on it signs.
        let start: Int64
        let key: SigningKey
    }

    /// The keys in the order in which they begin to sign.
    private let keys: [Key]

    private init(keys: [Key]) { self.keys = keys.sorted { $0.start < $1.start } }

    /// Makes a ring with one new key, which signs at once: for a new store, and where all others are not to count any
    /// more.
    ///
    /// - Parameter now: The time in milliseconds since the epoch.
    package init(now: Int64) throws(KeyError) { self.init(keys: [try Self.makeKey(now: now, start: 0)]) }

    package var description: String { "\(keys.count) keys [hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The ring with a new key, and without those whose last token has expired.
    ///
    /// The new key signs after ``publicationMilliseconds``. A ring with a key that does not sign yet gets no other.
    ///
    /// - Parameter now: The time in milliseconds since the epoch.
    package func rotated(now: Int64) throws(KeyError) -> KeyRing {
        let kept = verifyingKeys(now: now)
        guard !kept.contains(where: { $0.start > now }) else { return KeyRing(keys: kept) }
        return KeyRing(keys: kept + [try Self.makeKey(now: now, start: now + Self.publicationMilliseconds)])
    }

    /// The time at which the newest key was made, in milliseconds since the epoch; by this a caller knows when to rotate.
    package var newestKeyTime: Int64 { keys.map(\.created).max() ?? 0 }

    /// The time from which on the newest key signs, in milliseconds since the epoch; 0 for always.
    package var newestKeyStart: Int64 { keys.last?.start ?? 0 }

    private static func makeKey(now: Int64, start: Int64) throws(KeyError) -> Key {
        Key(id: try RandomText.make(bytes: 15), created: now, start: start, key: try SigningKey())
    }

    /// The key that signs: the last whose time has come; the first, should the clock have gone back.
    func signingKey(now: Int64) -> Key? { keys.last { $0.start <= now } ?? keys.first }

    /// The keys that may still verify, and those that will.
    func verifyingKeys(now: Int64) -> [Key] {
        keys.indices.filter { index in
            guard index + 1 < keys.endIndex else { return true }
            let lastExpiry = keys[index + 1].start + Int64(Self.maxLifetimeSeconds) * 1000
            // Beyond the leeway of whoever verifies.
            return now < lastExpiry + 120_000
        }.map { keys[$0] }
    }
}

// MARK: - As JSON

extension KeyRing {
    /// Reads a ring as ``json()`` writes it.
    package init(_ json: JSONValue) throws(KeyError) {
        guard let list = json["keys"]?.elements, !list.isEmpty, list.count <= 100 else {
            throw KeyError("the keys of the service are not readable")
        }
        var keys: [Key] = []
        for entry in list {
            guard let id = entry["id"]?.string, let pem = entry["pem"]?.string,
                let created = entry["created"]?.integer, let start = entry["start"]?.integer
            else { throw KeyError("a key of the service is not readable") }
            keys.append(
                Key(id: id, created: Int64(created), start: Int64(start), key: try SigningKey(pem: Secret(pem))))
        }
        guard Set(keys.map(\.id)).count == keys.count else { throw KeyError("two keys of the service have one name") }
        self.init(keys: keys)
    }

    /// The ring with its private keys, for where nobody else can read it.
    package func json() throws(KeyError) -> JSONValue {
        var list: [JSONValue] = []
        for key in keys {
            list.append([
                "id": .string(key.id), "pem": .string(try key.key.pem().text), "created": .integer(Int(key.created)),
                "start": .integer(Int(key.start)),
            ])
        }
        return ["keys": .list(list)]
    }

    /// The public keys that may still verify, as a JSON Web Key Set (RFC 7517 §5).
    func publicSet(now: Int64) -> JSONValue {
        let list = verifyingKeys(now: now).compactMap { key -> JSONValue? in
            guard let numbers = key.key.publicNumbers else { return nil }
            return [
                "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(key.id),
                "n": .string(Base64URL.encode(numbers.modulus)), "e": .string(Base64URL.encode(numbers.exponent)),
            ]
        }
        return ["keys": .list(list)]
    }
}
