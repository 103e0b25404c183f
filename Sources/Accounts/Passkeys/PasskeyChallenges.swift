import Cryptography
import Synchronization
import TreeModel

/// The challenges for passkeys that have not been answered. They are kept in this process, in bounded memory, and lost when
/// it ends: the person then begins again.
final class PasskeyChallenges: Sendable {
    /// The purpose of a challenge.
    enum Purpose: Hashable, Sendable {
        /// Another passkey for an account.
        case enrollment(ActionCode.Owner)
        case signIn
    }

    private struct Challenge {
        let purpose: Purpose
        let expiresAt: Timestamp
    }

    /// The time for which a challenge can be answered: five minutes.
    static let lifetime = Duration.seconds(300)
    private static let byteCount = 32

    private let maxCount: Int
    private let live = Mutex<[[UInt8]: Challenge]>([:])

    init(maxCount: Int = 20_000) { self.maxCount = maxCount }

    /// The number of challenges in memory.
    var count: Int { live.withLock(\.count) }

    /// Makes a challenge. If there are too many, those that have expired are dropped, or else the older half.
    func make(for purpose: Purpose, at now: Timestamp) throws(IdentityError) -> [UInt8] {
        guard let bytes = try? RandomText.bytes(Self.byteCount) else { throw .unavailable() }
        live.withLock { live in
            if live.count >= maxCount { live = live.filter { $0.value.expiresAt > now } }
            if live.count >= maxCount {
                let oldest = live.sorted { $0.value.expiresAt < $1.value.expiresAt }.prefix(maxCount / 2 + 1)
                for (key, _) in oldest { live[key] = nil }
            }
            live[bytes] = Challenge(purpose: purpose, expiresAt: now + Self.lifetime)
        }
        return bytes
    }

    /// Uses a challenge, which is then gone.
    ///
    /// - Returns: Whether there was one for the purpose that has not expired.
    func take(_ challenge: [UInt8], for purpose: Purpose, at now: Timestamp) -> Bool {
        live.withLock { live in
            guard let found = live[challenge], found.purpose == purpose else { return false }
            live[challenge] = nil
            return found.expiresAt > now
        }
    }
}
