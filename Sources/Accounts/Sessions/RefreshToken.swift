import Access
import Cryptography
import TreeModel

/// A refresh token: the account, the session, and a secret.
///
/// A session has one token at a time. The next token's secret is derived from the present one's and from a salt that
/// the session stores: a client that repeats a request because the response was lost receives the same successor,
/// although the stored data are useless to a thief.
struct RefreshToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The longest text that is read, in bytes.
    private static let maxBytes = 1024
    private static let secretByteCount = 32

    let uid: String
    let session: TreeKey
    private let secret: [UInt8]

    /// Creates the first token of a new session.
    ///
    /// - Throws: `KeyError` when the system has no randomness.
    init(of uid: String) throws(KeyError) {
        self.init(
            uid: uid, session: TreeKey(unchecked: try RandomText.make(bytes: 12)),
            secret: try RandomText.bytes(Self.secretByteCount))
    }

    private init(uid: String, session: TreeKey, secret: [UInt8]) {
        self.uid = uid
        self.session = session
        self.secret = secret
    }

    /// Parses a token from a request; nil if it is malformed.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let uid = Base64URL.decode(parts[0]), Base64URL.decode(parts[1]) != nil,
            let secret = Base64URL.decode(parts[2]), secret.count == Self.secretByteCount,
            let uid = String(validating: uid.span),
            let session = try? TreeKey(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        self.init(uid: uid, session: session, secret: secret)
    }

    /// The token as text for clients.
    var text: String {
        "\(Base64URL.encode(Array(uid.utf8))).\(session).\(Base64URL.encode(secret))"
    }

    /// The hash of the token that is stored.
    var hash: String { Base64URL.encode(Digest.hmacSHA256(Array("hash".utf8), key: secret)) }

    /// Returns the successor of this token.
    func next(salt: String) -> RefreshToken {
        RefreshToken(uid: uid, session: session, secret: Digest.hmacSHA256(Array("next:\(salt)".utf8), key: secret))
    }

    var description: String { "[hidden]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
