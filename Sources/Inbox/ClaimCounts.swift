import Model
import Synchronization

/// The number of claims of each user, from the claim of a file to its end.
///
/// Each user has a limit, because claims wait for those before them: the photos behind a slow one of one user leave
/// room for other users' photos.
final class ClaimCounts: Sendable {
    private let limit: Int
    private let counts = Mutex<[UserID: Int]>([:])

    init(limit: Int) { self.limit = limit }

    /// Whether nothing can be claimed from a folder now, because too many of its user's files are in progress.
    func isFull(_ root: InboxFolder.Root) -> Bool {
        guard case .user(let user) = root else { return false }
        return counts.withLock { $0[user] ?? 0 } >= limit
    }

    func add(_ user: UserID) {
        counts.withLock { $0[user, default: 0] += 1 }
    }

    /// - Returns: Whether the user was at the limit and has room again.
    func remove(_ user: UserID) -> Bool {
        counts.withLock { counts in
            let count = counts[user] ?? 0
            counts[user] = count > 1 ? count - 1 : nil
            return count == limit
        }
    }
}
