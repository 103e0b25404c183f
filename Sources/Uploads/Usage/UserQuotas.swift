import API
package import Model
import Store
import Synchronization
package import Tree

/// How much each user may store: originals, objects of the bucket, and uploads that are not finished. What the service makes of
/// photos itself is not counted, nor what is deleted and only waits for the end of the grace period. But nobody whose account is
/// self-made has more than as much again wait there: who deletes and sends anew fills the disk, too.
///
/// What is under way and in no commit yet is held here: of several uploads at once each sees what the others hold, so that
/// together they never come to more than there is room for. Methods may be called from any task.
package final class UserQuotas: Sendable {
    private let tree: TreeStore
    private let settings: SharedSettings
    private let held = Mutex<[UserID: Int]>([:])

    package init(_ tree: TreeStore, settings: SharedSettings) { (self.tree, self.settings) = (tree, settings) }

    /// Begins to hold room for what a user is about to send.
    ///
    /// - Parameters:
    ///   - user: Nil for what is nobody's: it has no limit.
    ///   - credit: The bytes of what it takes the place of.
    func hold(for user: UserID?, inPlaceOf credit: Int = 0) -> QuotaHold {
        QuotaHold(self, user: user, credit: credit)
    }

    // MARK: What operators choose

    /// Gives a user a quota of their own: bytes, or none; with `standard` that of the setting holds again. Durable when it
    /// returns. What is there stays, whatever it comes to.
    package func set(_ quota: UserQuota, for user: UserID) async throws {
        try await tree.set(UsageNodes.quota(user), to: quota.value)
    }

    // MARK: What is held

    /// Holds more, or less, for a user.
    ///
    /// - Returns: How much is held in all.
    @discardableResult
    fileprivate func add(_ byteCount: Int, for user: UserID) -> Int {
        held.withLock { held in
            let sum = held[user, default: 0] + byteCount
            held[user] = sum == 0 ? nil : sum
            return sum
        }
    }

    /// The bytes that a user has stored, and the limit; nil for none.
    fileprivate func state(of user: UserID) async throws -> (usage: Usage, quota: Quota?) {
        let standard = settings.value.userQuota
        return try await tree.snapshot { snapshot in
            guard let quota = try Self.limit(of: user, standard: standard, in: snapshot) else { return (Usage(), nil) }
            return (Usage(try snapshot.get(UsageNodes.ofOwner() / user.key)), quota)
        }
    }
}

/// Room that is held for bytes of a user that come, or are about to, until a commit counts them; given back when this goes.
///
/// Used by one task at a time.
package final class QuotaHold: Sendable {
    private struct State {
        /// How many bytes were announced in all.
        var expected = 0
        /// How many have come.
        var received = 0
        /// How many are held.
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

    /// Holds room for bytes that were announced.
    ///
    /// - Throws: `Failure` `quota_exceeded` when there is not so much.
    package func expect(_ byteCount: Int) async throws {
        try await cover { $0.expected = max($0.expected, $0.received + max(0, byteCount)) }
    }

    /// Holds room for bytes that have come; those that were announced have it.
    ///
    /// - Throws: `Failure` `quota_exceeded` when there is not so much.
    package func take(_ byteCount: Int) async throws { try await cover { $0.received += byteCount } }

    private func cover(_ change: (inout State) -> Void) async throws {
        let (needed, missing) = state.withLock { state in
            change(&state)
            let needed = max(state.expected, state.received)
            return (needed, needed - state.held)
        }
        guard missing > 0, let user else { return }
        // First what is held, then what is there: who commits holds on until what they have sent is counted.
        let sum = quotas.add(missing, for: user)
        do {
            let (usage, quota) = try await quotas.state(of: user)
            if let quota {
                let room = Failure.Room(used: usage.counted, quota: quota, needed: needed)
                guard usage.counted - credit + sum <= quota.bytes else { throw Failure.quotaExceeded(by: user, room) }
                // What is replaced is deleted.
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
    /// Whether what waits for the end of the grace period is bound, too.
    fileprivate var bindsGarbage: Bool { self == .signedUp || self == .anonymous }

    /// The words behind a number of bytes that say why it is no larger.
    fileprivate var reason: String {
        switch self {
        case .user: ""
        case .everybody: " (user-quota)"
        case .signedUp: " (user-quota, of accounts that people made themselves)"
        case .anonymous: " (user-quota, of anonymous accounts)"
        }
    }
}

extension Failure {
    /// The refusal of what would be more than somebody may store.
    fileprivate static func quotaExceeded(by user: UserID, _ room: Room) -> Failure {
        let quota = "\(room.quota.bytes) bytes\(room.quota.scope.reason)"
        var failure = Failure(
            .quotaExceeded, "\(user) may store \(quota), has \(room.used), and this needs \(room.needed) more",
            hint: "delete something first, or ask whoever runs the service for more room")
        failure.room = room
        return failure
    }

    /// The refusal of what would be more than somebody may store together with what they have deleted.
    fileprivate static func quotaExceeded(by user: UserID, _ room: Room, waiting: Int) -> Failure {
        let quota = "\(room.quota.bytes) bytes\(room.quota.scope.reason)"
        var failure = Failure(
            .quotaExceeded, "\(user) may store \(quota), and has deleted \(waiting) that are kept for the grace period",
            hint: "send it when these are gone, or ask whoever runs the service for more room")
        failure.room = room
        return failure
    }
}

extension Usage {
    /// The bytes that count for the quota.
    var counted: Int { self[.originals].bytes + self[.objects].bytes + self[.unfinished].bytes }
}
