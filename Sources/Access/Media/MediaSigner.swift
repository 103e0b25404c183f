import Cryptography
import Foundation
import Synchronization
package import TreeModel

/// Signs addresses of media, so that a client with such an address may fetch the file until it expires, without further
/// proof.
///
/// A token is the name of a key, the second at which it expires, and the HMAC-SHA256 of these and the path, separated
/// by dots; an address may contain it without escaping.
package final class MediaSigner: Sendable {
    private static let maxTokenBytes = 200
    /// The latest expiry, in seconds since the epoch: the end of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    private let keys: Mutex<MediaKeys>
    private let now: @Sendable () -> Timestamp

    /// - Parameter now: The current time.
    package init(
        keys: MediaKeys, now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.keys = Mutex(keys)
        self.now = now
    }

    /// Replaces the keys, for example with rotated ones.
    package func replaceKeys(_ new: MediaKeys) { keys.withLock { $0 = new } }

    /// Returns a token for a path that is valid for at least the lifetime, and at most twice as long.
    ///
    /// It expires at a whole multiple of its lifetime, so that a later request gets the same address, whose response a
    /// browser may have cached.
    ///
    /// - Parameter path: The path as it is stored, percent-decoded, without a query.
    package func token(for path: String, lifetimeSeconds: Int) -> String {
        let lifetime = Int64(min(max(lifetimeSeconds, 1), 365 * 86_400))
        return token(for: path, expiresAtSecond: (now().seconds / lifetime + 2) * lifetime)
    }

    /// Returns a token for a path that is valid until a second, in seconds since the epoch.
    package func token(for path: String, expiresAtSecond second: Int64) -> String {
        let key = keys.withLock(\.newest)
        let second = String(min(max(second, 0), Self.lastSecond))
        return "\(key.id).\(second).\(Base64URL.encode(Self.code(path: path, second: second, key: key)))"
    }

    /// Checks that a token is valid for a path now.
    ///
    /// - Parameter path: The path of the request, percent-decoded once, without its query.
    /// - Returns: The time at which the token expires, in seconds since the epoch.
    /// - Throws: ``AccessError`` with the case `badToken` or `expired`.
    @discardableResult
    package func check(_ token: String, for path: String) throws(AccessError) -> Int64 {
        guard token.utf8.count <= Self.maxTokenBytes else { throw .badToken(.tooLong) }
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let second = Int64(parts[1]), second <= Self.lastSecond, let code = Base64URL.decode(parts[2].utf8)
        else { throw .badToken(.malformed) }
        guard let key = keys.withLock({ $0.key(named: parts[0]) }) else { throw .badToken(.unknownKey) }
        guard Digest.areEqual(code, Self.code(path: path, second: String(parts[1]), key: key)) else {
            throw .badToken(.badSignature)
        }
        guard now().seconds < second else { throw .expired }
        return second
    }

    /// Returns the signature of a token: the parts before the path cannot contain a line break, so different tokens
    /// have different texts to sign.
    private static func code(path: String, second: String, key: MediaKeys.Key) -> [UInt8] {
        Digest.hmacSHA256(Array("tintype media\n\(key.id)\n\(second)\n\(path)".utf8), key: key.secret)
    }
}
