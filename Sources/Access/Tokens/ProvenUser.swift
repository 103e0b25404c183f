import TreeModel

/// The rules for user ids in tokens.
enum TokenSubject {
    /// The longest id, in UTF-16 units, as Firebase counts.
    static let maxLength = 128

    /// Whether a text may be the id of a user.
    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf16.count <= maxLength && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Returns the id for a name from another issuer; characters that are not allowed in a key of the tree are
    /// percent-encoded.
    ///
    /// Different names have different ids.
    static func key(for name: String) -> String {
        var text: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x00...0x1F, 0x7F, UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["),
                UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: "%"):
                text += Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16, uppercase: true).utf8)
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A user that a token proves, with the data for a later recheck.
package struct ProvenUser: Sendable, Hashable {
    package let user: User
    /// The time of the sign-in, or else of the token's issue, in seconds since the epoch.
    package let signInSeconds: Int64

    init(_ user: User, signInSeconds: Int64) { (self.user, self.signInSeconds) = (user, signInSeconds) }

    /// Creates the user of a token in Firebase's format.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    init(claims: [String: JSONValue], expirySeconds: Int64) throws(AccessError) {
        guard let uid = claims["sub"]?.string else { throw .badToken(.badSubject) }
        if let other = claims["user_id"], other.string?.isSame(as: uid) != true { throw .badToken(.badSubject) }
        let provider = claims["firebase"]?["sign_in_provider"]?.string ?? "custom"
        try self.init(uid: uid, provider: provider, claims: claims, expirySeconds: expirySeconds)
    }

    /// - Parameter expirySeconds: The time at which the proof expires, in seconds since the epoch; nil for never.
    /// - Throws: ``AccessError`` with the case `badToken`.
    init(
        uid: String, provider: String, claims: [String: JSONValue], expirySeconds: Int64?
    ) throws(AccessError) {
        let auth: JSONValue = ["uid": .string(uid), "provider": .string(provider), "token": .object(claims)]
        try self.init(uid: uid, auth: auth, claims: claims, expirySeconds: expirySeconds)
    }

    /// - Parameter auth: The variable `auth` of security rules.
    init(
        uid: String, auth: JSONValue, claims: [String: JSONValue], expirySeconds: Int64?
    ) throws(AccessError) {
        guard TokenSubject.isValid(uid) else { throw .badToken(.badSubject) }
        user = User(uid: uid, auth: auth, expiresAt: expirySeconds.map(Timestamp.init(seconds:)))
        let times = (try ClaimRules.time("auth_time", in: claims), try ClaimRules.time("iat", in: claims))
        signInSeconds = times.0 ?? times.1 ?? 0
    }
}
