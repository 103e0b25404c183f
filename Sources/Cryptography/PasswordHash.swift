import CSystemCrypto

/// The stored hash of a password: its scrypt (RFC 7914), from which the password can be found only by trying.
///
/// Creating or comparing one needs 32 MiB, and a processor for a good part of a tenth of a second; the caller must
/// limit how many run at the same time.
package struct PasswordHash: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The maximum length of a password, in bytes of UTF-8.
    package static let maxPasswordBytes = 4096

    /// The cost parameters (RFC 7914 §2).
    struct Cost: Sendable, Hashable {
        /// The base-2 logarithm of N, the cost in memory and time.
        var logN: Int
        /// The block size.
        var r: Int
        /// The parallelisation: the number of repetitions.
        var p: Int

        /// The cost of new hashes: 32 MiB, and about 80 ms on a small machine.
        ///
        /// OWASP's recommendation for that size of memory has a `p` of 3, and takes three times as long.
        static let current = Cost(logN: 15, r: 8, p: 1)

        var isAcceptable: Bool { (10...18).contains(logN) && (1...16).contains(r) && (1...16).contains(p) }
    }

    private static let saltBytes = 16
    private static let hashBytes = 32

    private let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]
    /// Firebase's variant of scrypt; nil if the hash is the scrypt itself.
    private let firebase: FirebaseScrypt?

    /// Hashes a new password, with a random salt.
    ///
    /// - Throws: ``KeyError`` for a password that is too long or contains a zero byte, or if memory or randomness is
    ///   lacking.
    package init(password: String) throws(KeyError) { try self.init(password: password, cost: .current) }

    init(password: String, cost: Cost) throws(KeyError) {
        let salt = try RandomText.bytes(Self.saltBytes)
        guard let hash = Self.scrypt(password, salt, cost, byteCount: Self.hashBytes) else {
            throw KeyError("the password cannot be hashed")
        }
        self.init(cost: cost, salt: salt, hash: hash)
    }

    /// Parses a hash in the form of ``text``; nil for anything else, and for an unreasonable cost.
    package init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count >= 5, parts[0].isEmpty,
            let cost = Cost(text: String(decoding: parts[2], as: UTF8.self)), cost.isAcceptable,
            let salt = Base64URL.decode(parts[3]), (8...64).contains(salt.count),
            let hash = Base64URL.decode(parts[4])
        else { return nil }
        switch (String(decoding: parts[1], as: UTF8.self), parts.count) {
        case ("scrypt", 5):
            guard (16...64).contains(hash.count) else { return nil }
            self.init(cost: cost, salt: salt, hash: hash)
        case ("firescrypt", 7):
            guard let separator = Base64URL.decode(parts[5]), let signerKey = Base64URL.decode(parts[6]),
                let firebase = FirebaseScrypt(separator: separator, signerKey: signerKey),
                hash.count == signerKey.count
            else { return nil }
            self.init(cost: cost, salt: salt, hash: hash, firebase: firebase)
        default: return nil
        }
    }

    /// The hash with its parameters, in the manner of PHC strings: `$scrypt$ln=15,r=8,p=1$SALT$HASH`, the last two in
    /// base64url. One of Firebase's begins with `$firescrypt$`, and `$SEPARATOR$SIGNERKEY` follow.
    package var text: String {
        let parts = [salt, hash] + (firebase.map { [$0.separator, $0.signerKey] } ?? [])
        return ([firebase == nil ? "$scrypt" : "$firescrypt", cost.text] + parts.map(Base64URL.encode))
            .joined(separator: "$")
    }

    package var description: String { "[hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a password is the one that was hashed. The time does not depend on where the hashes differ.
    package func matches(_ password: String) -> Bool {
        let other =
            firebase.map { $0.hash(password, salt, cost) } ?? Self.scrypt(password, salt, cost, byteCount: hash.count)
        return other.map { Digest.areEqual(hash, $0) } ?? false
    }

    /// Whether the hash has other parameters than new ones; if so, the password should be hashed again at the next
    /// sign-in.
    package var needsRehash: Bool {
        firebase != nil || cost != .current || salt.count < Self.saltBytes || hash.count < Self.hashBytes
    }

    /// A hash that no password matches: a comparison with it takes as long as with a real one, so that the time does
    /// not reveal whether an account exists.
    package static let decoy = PasswordHash(
        cost: .current, salt: [UInt8](repeating: 0, count: saltBytes), hash: [UInt8](repeating: 0, count: hashBytes))

    private init(cost: Cost, salt: [UInt8], hash: [UInt8], firebase: FirebaseScrypt? = nil) {
        (self.cost, self.salt, self.hash, self.firebase) = (cost, salt, hash, firebase)
    }

    /// Returns the scrypt of a password; nil if the password is too long or contains a zero byte, or if memory is
    /// lacking.
    static func scrypt(_ password: String, _ salt: [UInt8], _ cost: Cost, byteCount: Int) -> [UInt8]? {
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        // A password and the same with zero bytes appended would have one hash, because they are the same HMAC key.
        guard bytes.count <= maxPasswordBytes, !bytes.contains(0) else { return nil }
        let n = UInt64(1) << UInt64(cost.logN)
        // 128 r (N + p + 2) bytes (RFC 7914 §5, §6), with some slack.
        let memory = 128 * UInt64(cost.r) * (n + UInt64(cost.p) + 2) + 65_536
        var hash = [UInt8](repeating: 0, count: byteCount)
        let result = EVP_PBE_scrypt(
            bytes, bytes.count, salt, salt.count, n, UInt64(cost.r), UInt64(cost.p), memory, &hash, hash.count)
        guard result == 1 else {
            ERR_clear_error()
            return nil
        }
        return hash
    }
}

extension PasswordHash.Cost {
    /// Parses a cost in the form of ``text``.
    init?(text: String) {
        var numbers: [Int] = []
        for (name, part) in zip(["ln=", "r=", "p="], text.split(separator: ",", omittingEmptySubsequences: false)) {
            guard part.hasPrefix(name), let number = Int(part.dropFirst(name.count)) else { return nil }
            numbers.append(number)
        }
        guard numbers.count == 3 else { return nil }
        self.init(logN: numbers[0], r: numbers[1], p: numbers[2])
        guard self.text == text else { return nil }
    }

    var text: String { "ln=\(logN),r=\(r),p=\(p)" }
}
