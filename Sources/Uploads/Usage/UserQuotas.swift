import API
package import Model
import Store
import Synchronization
package import Tree

/// The quotas of users: the bytes that each may store as originals, objects of the bucket, and unfinished uploads.
/// Renditions are not counted, nor are deleted files that wait for the end of the grace period. Self-made accounts,
/// however, may have at most twice their quota including deleted files, because repeated deleting and uploading fills
/// the disk, too.
///
/// Bytes that are in progress and not yet part of a commit are held here: each of several concurrent uploads counts
/// what the others hold, so that together they never exceed the quota. Methods may be called from any task.
package final class UserQuotas: Sendable {
    private let tree: TreeStore
    private let settings: SharedSettings
    private let held = Mutex<[UserID: Int]>([:])

    package init(_ tree: TreeStore, settings: SharedSettings) { (self.tree, self.settings) = (tree, settings) }

    /// Begins to hold room for bytes that a user is about to send.
    ///
    /// - Parameters:
    ///   - user: The owner of the bytes; nil for no owner, and therefore no limit.
    ///   - credit: The size of the content that is replaced, in bytes.
    func hold(for user: UserID?, inPlaceOf credit: Int = 0) -> QuotaHold {
        QuotaHold(self, user: user, credit: credit)
    }

    // MARK: Settings

    /// Sets a user's own quota: bytes or no limit; `standard` restores that of the setting. Durable on return. Existing
    /// files stay, whatever their size.
    package func set(_ quota: UserQuota, for user: UserID) async throws {
        try await tree.set(UsageNodes.quota(user), to: quota.value)
    }

    // MARK: Holds

    /// Changes the number of bytes that are held for a user.
    ///
    /// - Returns: The total number of bytes held.
    @discardableResult
    fileprivate func add(_ byteCount: Int, for user: UserID) -> Int {
        held.withLock { held in
            let sum = held[user, default: 0] + byteCount
            held[user] = sum == 0 ? nil : sum
            return sum
        }
    }

    /// Returns the files that a user has stored, and the limit; nil for no limit.
    fileprivate func state(of user: UserID) async throws -> (usage: Usage, quota: Quota?) {
        let standard = settings.value.userQuota
        return try await tree.snapshot { snapshot in
            guard let quota = try Self.limit(of: user, standard: standard, in: snapshot) else { return (Usage(), nil) }
            return (Usage(try snapshot.get(UsageNodes.ofOwner() / user.key)), quota)
        }
    }
}

/// Room for bytes of a user that arrive or are expected, held until a commit counts them; released on deinitialization.
///
/// Used by one task at a time.
package final class QuotaHold: Sendable {
    private struct State {
        /// The total number of bytes that were announced.
        var expected = 0
        /// The number of bytes received.
        var received = 0
        /// The number of bytes for which room is held.
        var held = 0
    }

    private let quotas: UserQuotas
    private let user: UserID?
    private let credit: Int
    private let state = Mutex(State())

    fileprivate init(_ quotas: UserQuotas, user: UserID?, credit: Int) {
        (self.quotas, self.user, self.credit) = (quotas, user, credit)
    }

    deinit {
        let held = state.withLock(\.held)
        if let user, held > 0 { quotas.add(-held, for: user) }
    }

    /// Holds room for announced bytes.
    ///
    /// - Throws: `Failure` `quota_exceeded` if the user's quota does not suffice.
    package func expect(_ byteCount: Int) async throws {
        try await cover { $0.expected = max($0.expected, $0.received + max(0, byteCount)) }
    }

    /// Holds room for received bytes; announced bytes are already held.
    ///
    /// - Throws: `Failure` `quota_exceeded` if the user's quota does not suffice.
    package func take(_ byteCount: Int) async throws { try await cover { $0.received += byteCount } }

    private func cover(_ change: (inout State) -> Void) async throws {
        let (needed, missing) = state.withLock { state in
            change(&state)
            let needed = max(state.expected, state.received)
            return (needed, needed - state.held)
        }
        guard missing > 0, let user else { return }
        // The held bytes are read before the stored ones: a committer releases its hold only after its bytes are
        // counted.
        let sum = quotas.add(missing, for: user)
        do {
            let (usage, quota) = try await quotas.state(of: user)
            if let quota {
                let room = Failure.Room(used: usage.counted, quota: quota, needed: needed)
                guard usage.counted - credit + sum <= quota.bytes else { throw Failure.quotaExceeded(by: user, room) }
                // The replaced content is deleted and becomes garbage.
                let waiting = usage[.garbage].bytes
                guard !quota.scope.bindsGarbage || (usage.counted + waiting + sum) / 2 <= quota.bytes else {
                    throw Failure.quotaExceeded(by: user, room, waiting: waiting)
                }
            }
        } catch {
            quotas.add(-missing, for: user)
            throw error
        }
        state.withLock { $0.held += missing }
    }
}

extension QuotaScope {
    /// Whether files that wait for the end of the grace period are limited, too.
    fileprivate var bindsGarbage: Bool { self == .signedUp || self == .anonymous }

    /// The explanation of the limit that follows the number of bytes in messages.
    fileprivate var reason: String {
        switch self {
        case .user: ""
        case .everybody: " (user-quota)"
        case .signedUp: " (user-quota, for self-made accounts)"
        case .anonymous: " (user-quota, for anonymous accounts)"
        }
    }
}

extension Failure {
    /// Creates the failure of an upload that would exceed a user's quota.
    fileprivate static func quotaExceeded(by user: UserID, _ room: Room) -> Failure {
        let quota = "\(room.quota.bytes) bytes\(room.quota.scope.reason)"
        var failure = Failure(
            .quotaExceeded, "\(user) may store \(quota), has \(room.used), and this needs \(room.needed) more",
            hint: "Delete something first, or ask the operator of the service for more room.")
        failure.room = room
        return failure
    }

    /// Creates the failure of an upload that would exceed a user's quota together with the user's deleted files.
    fileprivate static func quotaExceeded(by user: UserID, _ room: Room, waiting: Int) -> Failure {
        let quota = "\(room.quota.bytes) bytes\(room.quota.scope.reason)"
        var failure = Failure(
            .quotaExceeded, "\(user) may store \(quota), and has deleted \(waiting) that are kept for the grace period",
            hint: "Send it after the grace period, or ask the operator of the service for more room.")
        failure.room = room
        return failure
    }
}

extension Usage {
    /// The number of bytes that count towards the quota.
    var counted: Int { self[.originals].bytes + self[.objects].bytes + self[.unfinished].bytes }
}
