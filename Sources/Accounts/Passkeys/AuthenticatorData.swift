import Cryptography

/// The statement of an authenticator (WebAuthn §6.1), which its signature covers.
struct AuthenticatorData: Sendable {
    /// A new credential.
    struct Credential: Sendable {
        let id: [UInt8]
        let key: PasskeyKey
    }

    /// The bits of the flags.
    private enum Flag {
        static let isPresent: UInt8 = 0x01
        static let isVerified: UInt8 = 0x04
        static let mayBeCopied: UInt8 = 0x08
        static let isCopied: UInt8 = 0x10
        static let hasCredential: UInt8 = 0x40
        static let hasExtensions: UInt8 = 0x80
    }

    /// The sizes of the parts before the credential, in bytes: the hash of the site, the flags and the counter.
    private static let (hashCount, headCount) = (32, 37)

    private let siteHash: [UInt8]
    private let flags: UInt8
    /// The number of signatures so far; 0 for authenticators that do not count.
    let counter: Int64
    /// The new credential; nil in a sign-in.
    let credential: Credential?

    /// Parses a statement; nil if it is malformed, or has a key of a kind that is not supported.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headCount else { return nil }
        siteHash = Array(bytes.prefix(Self.hashCount))
        flags = bytes[Self.hashCount]
        counter = bytes[(Self.hashCount + 1)..<Self.headCount].reduce(0) { $0 << 8 | Int64($1) }
        var rest = bytes.dropFirst(Self.headCount)
        if flags & Flag.hasCredential != 0 {
            guard let credential = Self.credential(in: &rest) else { return nil }
            self.credential = credential
        } else {
            credential = nil
        }
        if flags & Flag.hasExtensions != 0 {
            var reader = CBORReader(rest)
            guard reader.next()?.members != nil else { return nil }
            rest = reader.rest
        }
        // A credential that cannot be copied is not copied.
        guard rest.isEmpty, flags & Flag.isCopied == 0 || flags & Flag.mayBeCopied != 0 else { return nil }
    }

    /// Reads the model of the authenticator, which is ignored, and the credential (WebAuthn §6.5.1).
    private static func credential(in rest: inout ArraySlice<UInt8>) -> Credential? {
        let head = rest.prefix(18)
        let count = head.suffix(2).reduce(0) { $0 << 8 | Int($1) }
        guard head.count == 18, (1...Passkey.maxIDBytes).contains(count) else { return nil }
        rest = rest.dropFirst(18)
        let id = Array(rest.prefix(count))
        guard id.count == count else { return nil }
        var reader = CBORReader(rest.dropFirst(count))
        guard let key = reader.next().flatMap(PasskeyKey.init) else { return nil }
        rest = reader.rest
        return Credential(id: id, key: key)
    }

    /// Checks that the statement is for a site, and that the person was present and verified, as by a fingerprint.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    func check(at site: PasskeySite) throws(IdentityError) {
        guard Digest.areEqual(siteHash, Digest.sha256(site.id)) else { throw .badPasskey("it is for another site") }
        guard flags & Flag.isPresent != 0, flags & Flag.isVerified != 0 else {
            throw .badPasskey("the person was not verified")
        }
    }
}

/// The public key of a passkey on the curve P-256, for ES256.
struct PasskeyKey: Hashable, Sendable {
    /// The two numbers of the point, of 32 bytes each.
    let point: [UInt8]

    /// Reads a key in the form of COSE (RFC 9053 §7.1.1); nil for one of another kind, or with further members.
    init?(_ key: CBORValue) {
        // The kind is elliptic curves with two numbers, the algorithm ES256, and the curve P-256.
        guard key.members?.count == 5, key[1]?.integer == 2, key[3]?.integer == -7, key[-1]?.integer == 1,
            let x = key[-2]?.bytes, let y = key[-3]?.bytes, x.count == 32, y.count == 32
        else { return nil }
        self.init(point: x + y)
    }

    /// Creates a key from its point; nil if that is not on the curve.
    init?(point: [UInt8]) {
        self.point = point
        guard verificationKey != nil else { return nil }
    }

    private var verificationKey: VerificationKey? {
        guard point.count == 64, let handle = try? KeyHandle(p256X: Array(point[..<32]), y: Array(point[32...])) else {
            return nil
        }
        return VerificationKey(publicKey: handle)
    }

    /// Whether a signature was made by this key for this message.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        verificationKey?.isDERSignature(signature, of: message) ?? false
    }
}
