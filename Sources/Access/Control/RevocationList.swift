import Foundation
import Synchronization
package import TreeModel

/// The users whose tokens are no longer valid although they have not expired.
package final class RevocationList: Sendable {
    /// The revocations of a user.
    package struct Entry: Sendable, Hashable {
        package let uid: String
        /// Tokens of sign-ins before this second are revoked, in seconds since the epoch; nil for none.
        package var validSinceSeconds: Int64?
        /// Whether all tokens are refused.
        package var isDisabled: Bool

        package init(uid: String, validSinceSeconds: Int64? = nil, isDisabled: Bool = false) {
            (self.uid, self.validSinceSeconds, self.isDisabled) = (uid, validSinceSeconds, isDisabled)
        }
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The number of entries at which expired entries are removed.
        var pruneCount = 1000
    }

    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// - Parameters:
    ///   - entries: The initial entries.
    ///   - now: The current time.
    package init(
        _ entries: [Entry] = [], now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.now = now
        state.withLock { state in
            for entry in entries { state.entries[entry.uid] = entry }
        }
    }

    /// Revokes a user's tokens of sign-ins before a second; for a deleted user, the second after the deletion.
    ///
    /// The entry is removed once all these tokens have expired.
    package func revoke(uid: String, before seconds: Int64) {
        change(uid) { $0.validSinceSeconds = max($0.validSinceSeconds ?? 0, seconds) }
    }

    /// Sets whether a user is disabled; this remains until it is changed.
    package func setDisabled(_ isDisabled: Bool, uid: String) { change(uid) { $0.isDisabled = isDisabled } }

    private func change(_ uid: String, _ body: (inout Entry) -> Void) {
        state.withLock { state in
            var entry = state.entries[uid] ?? Entry(uid: uid)
            body(&entry)
            let isEmpty = entry.validSinceSeconds == nil && !entry.isDisabled
            state.entries[uid] = isEmpty ? nil : entry
            guard state.entries.count >= state.pruneCount else { return }
            let oldest = now().seconds - Self.keptSeconds
            state.entries = state.entries.filter { $0.value.isDisabled || ($0.value.validSinceSeconds ?? 0) > oldest }
            state.pruneCount = max(2 * state.entries.count, 1000)
        }
    }

    /// The time for which an entry is kept, in seconds: as long as a token issued just before it may be used.
    private static let keptSeconds = Int64(KeyRing.maxLifetimeSeconds) + 600

    /// Whether the token that proved a user is revoked.
    package func isRevoked(_ proven: ProvenUser) -> Bool {
        guard let uid = proven.user.uid, let entry = state.withLock({ $0.entries[uid] }) else { return false }
        return entry.isDisabled || proven.signInSeconds < entry.validSinceSeconds ?? 0
    }

    /// The current entries, for persistence.
    package var entries: [Entry] { state.withLock { Array($0.entries.values) } }
}
