package import Cryptography
package import TreeModel

/// The service's own keys for ID tokens: one that signs, those that signed, and one that will.
///
/// A new key is published at once and signs after ``publication``, when whoever keeps a copy of the public
/// keys has a new copy. A key that signs no more verifies until the last token that it signed has expired.
package struct KeyRing: Sendable, CustomStringConvertible, CustomReflectable {
    /// How long others may keep a copy of the public keys, in seconds: the `max-age` of the answer that has them.
    package static let cacheSeconds = 3600
    /// The longest life of a token, in seconds.
    package static let maxLifetimeSeconds = 86_400
    /// The time for which a key is published before it signs.
    static let publication = Duration.seconds(2 * cacheSeconds)

    /// A key and its times.
    struct Key: Sendable {
        let id: String
        let created: Timestamp
        /// From when on it signs.
        let start: Timestamp
        let key: SigningKey
    }

    /// The keys in the order in which they begin to sign.
    private let keys: [Key]

    private init(keys: [Key]) { self.keys = keys.sorted { $0.start < $1.start } }

    /// Makes a ring with one new key, which signs at once: for a new store, and where all others are not to count any
    /// more.
    ///
    /// - Parameter now: The present time.
    package init(now: Timestamp) throws(KeyError) { self.init(keys: [try Self.makeKey(now: now, start: .epoch)]) }

    package var description: String { "\(keys.count) keys [hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The ring with a new key, and without those whose last token has expired.
    ///
    /// The new key signs after ``publication``. A ring with a key that does not sign yet gets no other.
    ///
    /// - Parameter now: The present time.
    package func rotated(now: Timestamp) throws(KeyError) -> KeyRing {
        let kept = verifyingKeys(now: now)
        guard !kept.contains(where: { $0.start > now }) else { return KeyRing(keys: kept) }
        return KeyRing(keys: kept + [try Self.makeKey(now: now, start: now + Self.publication)])
    }

    /// The time at which the newest key was made; by this a caller knows when to rotate.
    package var newestKeyTime: Timestamp { keys.map(\.created).max() ?? .epoch }

    /// The time from which on the newest key signs; the epoch for always.
    package var newestKeyStart: Timestamp { keys.last?.start ?? .epoch }

    private static func makeKey(now: Timestamp, start: Timestamp) throws(KeyError) -> Key {
        Key(id: try RandomText.make(bytes: 15), created: now, start: start, key: try SigningKey())
    }

    /// The key that signs: the last whose time has come; the first, should the clock have gone back.
    func signingKey(now: Timestamp) -> Key? { keys.last { $0.start <= now } ?? keys.first }

    /// The keys that may still verify, and those that will.
    func verifyingKeys(now: Timestamp) -> [Key] {
        keys.indices.filter { index in
            guard index + 1 < keys.endIndex else { return true }
            let lastExpiry = keys[index + 1].start + .seconds(Self.maxLifetimeSeconds)
            // Beyond the leeway of whoever verifies.
            return now < lastExpiry + .seconds(120)
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
                Key(
                    id: id, created: Timestamp(milliseconds: Int64(created)),
                    start: Timestamp(milliseconds: Int64(start)), key: try SigningKey(pem: Secret(pem))))
        }
        guard Set(keys.map(\.id)).count == keys.count else { throw KeyError("two keys of the service have one name") }
        self.init(keys: keys)
    }

    /// The ring with its private keys, for where nobody else can read it.
    package func json() throws(KeyError) -> JSONValue {
        var list: [JSONValue] = []
        for key in keys {
            list.append([
                "id": .string(key.id), "pem": .string(try key.key.pem().text),
                "created": .integer(Int(key.created.milliseconds)),
                "start": .integer(Int(key.start.milliseconds)),
            ])
        }
        return ["keys": .list(list)]
    }

    /// The public keys that may still verify, as a JSON Web Key Set (RFC 7517 §5).
    func publicSet(now: Timestamp) -> JSONValue {
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
