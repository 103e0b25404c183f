import CSystemCrypto

/// What is kept of a password: its scrypt (RFC 7914), from which nobody gets back to it but by trying.
///
/// One takes 32 MiB while it is made or compared, and keeps a processor for a good part of a tenth of a second: it is for
/// the caller to bound how many run at a time.
package struct PasswordHash: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The longest password, in bytes of UTF-8.
    package static let maxPasswordBytes = 4096

    /// The cost (RFC 7914 §2).
    struct Cost: Sendable, Hashable {
        /// The logarithm of the memory and time, N.
        var logN: Int
        /// The size of a block.
        var r: Int
        /// How often all of it is done.
        var p: Int

        /// The cost of new hashes: 32 MiB, and about 80 ms on a small machine.
        ///
        /// The OWASP's recommendation of that size has a `p` of 3, and takes three times as long.
        static let current = Cost(logN: 15, r: 8, p: 1)

        var isAcceptable: Bool { (10...18).contains(logN) && (1...16).contains(r) && (1...16).contains(p) }
    }

    private static let saltBytes = 16
    private static let hashBytes = 32

    private let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]
    /// Firebase's form of the scrypt; nil where the hash is the scrypt itself.
    private let firebase: FirebaseScrypt?

    /// Hashes a new password, with a salt of its own.
    ///
    /// - Throws: ``KeyError`` for a password that is too long or has a zero in it, or when the machine lacks memory or randomness.
    package init(password: String) throws(KeyError) { try self.init(password: password, cost: .current) }

    init(password: String, cost: Cost) throws(KeyError) {
        let salt = try RandomText.bytes(Self.saltBytes)
        guard let hash = Self.scrypt(password, salt, cost, byteCount: Self.hashBytes) else {
            throw KeyError("the password cannot be hashed")
        }
        self.init(cost: cost, salt: salt, hash: hash)
    }

    /// Reads a hash as ``text`` writes it; nil for anything else, and for a cost beyond reason.
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

    /// The hash with all that is needed to compare it, in the manner of PHC strings: `$scrypt$ln=15,r=8,p=1$SALT$HASH`,
    /// the last two in base64url. One of Firebase's begins with `$firescrypt$`, and `$SEPARATOR$SIGNERKEY` follow.
    package var text: String {
        let parts = [salt, hash] + (firebase.map { [$0.separator, $0.signerKey] } ?? [])
        return ([firebase == nil ? "$scrypt" : "$firescrypt", cost.text] + parts.map(Base64URL.encode))
            .joined(separator: "$")
    }

    package var description: String { "[hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a password is the one that was hashed; takes a time that tells nothing of where the hashes differ.
    package func matches(_ password: String) -> Bool {
        let other =
            firebase.map { $0.hash(password, salt, cost) } ?? Self.scrypt(password, salt, cost, byteCount: hash.count)
        return other.map { Digest.areEqual(hash, $0) } ?? false
    }

    /// Whether it was made in another way than hashes are made today: the next time that the password is known, it
    /// should be hashed anew.
    package var needsRehash: Bool {
        firebase != nil || cost != .current || salt.count < Self.saltBytes || hash.count < Self.hashBytes
    }

    /// The hash of no password: comparing one with it takes as long as with a real one, so that the time does not tell
    /// whether there is an account.
    package static let decoy = PasswordHash(
        cost: .current, salt: [UInt8](repeating: 0, count: saltBytes), hash: [UInt8](repeating: 0, count: hashBytes))

    private init(cost: Cost, salt: [UInt8], hash: [UInt8], firebase: FirebaseScrypt? = nil) {
        (self.cost, self.salt, self.hash, self.firebase) = (cost, salt, hash, firebase)
    }

    /// The scrypt of a password; nil for one that is too long or has a zero in it, and where memory lacks.
    static func scrypt(_ password: String, _ salt: [UInt8], _ cost: Cost, byteCount: Int) -> [UInt8]? {
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        // A password and the same with zeros behind it would have one hash, as they are one key of an HMAC.
        guard bytes.count <= maxPasswordBytes, !bytes.contains(0) else { return nil }
        let n = UInt64(1) << UInt64(cost.logN)
        // 128 r (N + p + 2) bytes (RFC 7914 §5, §6), and a little.
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
    /// Reads a cost as ``text`` writes it.
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
