package import Cryptography
package import TreeModel

/// The service's own keys for ID tokens: the one that signs, those that signed before, and the next one.
///
/// A new key is published at once and signs after ``publication``, when all copies of the public keys have been
/// renewed. A key that no longer signs still verifies until the last token that it signed has expired.
package struct KeyRing: Sendable, CustomStringConvertible, CustomReflectable {
    /// The time for which clients may cache the public keys, in seconds: the `max-age` of the response that contains
    /// them.
    package static let cacheSeconds = 3600
    /// The longest life of a token, in seconds.
    package static let maxLifetimeSeconds = 86_400
    /// The time for which a key is published before it signs.
    static let publication = Duration.seconds(2 * cacheSeconds)

    /// A key and its times.
    struct Key: Sendable {
        let id: String
        let created: Timestamp
        /// The time from which it signs.
        let start: Timestamp
        let key: SigningKey
    }

    /// The keys in the order of their starts.
    private let keys: [Key]

    private init(keys: [Key]) { self.keys = keys.sorted { $0.start < $1.start } }

    /// Creates a ring with one new key, which signs at once: for a new store, or to invalidate all other keys.
    ///
    /// - Parameter now: The current time.
    package init(now: Timestamp) throws(KeyError) { self.init(keys: [try Self.makeKey(now: now, start: .epoch)]) }

    package var description: String { "\(keys.count) keys [hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the ring with a new key, and without those whose last token has expired.
    ///
    /// The new key signs after ``publication``. A ring with a key that does not sign yet gets no further key.
    ///
    /// - Parameter now: The current time.
    package func rotated(now: Timestamp) throws(KeyError) -> KeyRing {
        let kept = verifyingKeys(now: now)
        guard !kept.contains(where: { $0.start > now }) else { return KeyRing(keys: kept) }
        return KeyRing(keys: kept + [try Self.makeKey(now: now, start: now + Self.publication)])
    }

    /// The time at which the newest key was created; a caller uses it to decide when to rotate.
    package var newestKeyTime: Timestamp { keys.map(\.created).max() ?? .epoch }

    /// The time from which the newest key signs; the epoch for a key that signs at once.
    package var newestKeyStart: Timestamp { keys.last?.start ?? .epoch }

    private static func makeKey(now: Timestamp, start: Timestamp) throws(KeyError) -> Key {
        Key(id: try RandomText.make(bytes: 15), created: now, start: start, key: try SigningKey())
    }

    /// Returns the key that signs: the last one whose start has passed; the first one if the clock has been set back.
    func signingKey(now: Timestamp) -> Key? { keys.last { $0.start <= now } ?? keys.first }

    /// Returns the keys that may still verify, and those that will sign later.
    func verifyingKeys(now: Timestamp) -> [Key] {
        keys.indices.filter { index in
            guard index + 1 < keys.endIndex else { return true }
            let lastExpiry = keys[index + 1].start + .seconds(Self.maxLifetimeSeconds)
            // This exceeds the leeway of verifiers.
            return now < lastExpiry + .seconds(120)
        }.map { keys[$0] }
    }
}

// MARK: - JSON

extension KeyRing {
    /// Reads a ring in the format of ``json()``.
    package init(_ json: JSONValue) throws(KeyError) {
        guard let list = json["keys"]?.elements, !list.isEmpty, list.count <= 100 else {
            throw KeyError("the keys of the service are malformed")
        }
        var keys: [Key] = []
        for entry in list {
            guard let id = entry["id"]?.string, let pem = entry["pem"]?.string,
                let created = entry["created"]?.integer, let start = entry["start"]?.integer
            else { throw KeyError("a key of the service is malformed") }
            keys.append(
                Key(
                    id: id, created: Timestamp(milliseconds: Int64(created)),
                    start: Timestamp(milliseconds: Int64(start)), key: try SigningKey(pem: Secret(pem))))
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw KeyError("two keys of the service have the same name")
        }
        self.init(keys: keys)
    }

    /// Returns the ring with its private keys, for a protected file.
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

    /// Returns the public keys that may still verify, as a JSON Web Key Set (RFC 7517 §5).
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
