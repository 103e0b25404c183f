import Model
import Synchronization
import Tree
import TreeModel

/// Deletes expired sessions, codes, revocations, invitations and requests to join, a limited number at each call.
package final class AccountSweeper: Sendable {
    /// The time for which a revocation is kept; all tokens from before it have expired by then.
    static let revocation = Duration.seconds(25 * 3600)

    /// The number of records that are read at a time, and deleted in one update.
    private static let pageSize = 200

    private let store: AccountStore
    /// The last keys of the previous call; a path without one starts from the beginning.
    private let last = Mutex<[TreePath: TreeKey]>([:])

    package init(of store: AccountStore) { self.store = store }

    /// Checks the sessions of some accounts, and some codes and revocations, after those of the previous call.
    ///
    /// - Parameter limit: The largest number of accounts, of codes and of revocations.
    /// - Returns: The number of expired records.
    @discardableResult
    package func sweep(limit: Int = 5_000) async throws -> Int {
        let now = store.now
        var count = 0
        count += try await sweep(AccountNodes.session(), limit: limit) { account in
            (account.value.object ?? [:]).filter { Session($0.value)?.isExpired(at: now) ?? true }
                .map { (AccountNodes.session(account.key) / $0.key, $0.value) }
        }
        count += try await sweep(AccountNodes.code(), limit: limit) { code in
            code.value["expires"]?.timestampValue ?? .epoch <= now ? [(AccountNodes.code() / code.key, code.value)] : []
        }
        count += try await sweep(AccountNodes.revocation(), limit: limit) { entry in
            Timestamp(seconds: entry.value.integerValue ?? 0) + Self.revocation <= now
                ? [(AccountNodes.revocation(entry.key), entry.value)] : []
        }
        count += try await sweep(AccountNodes.invitation(), limit: limit) { entry in
            Invitation(entry.value, at: entry.key)?.isOver(at: now) ?? false
                ? [(AccountNodes.invitation() / entry.key, entry.value)] : []
        }
        count += try await sweep(AccountNodes.joinRequest(), limit: limit) { entry in
            JoinRequest(entry.value, at: entry.key)?.isOver(at: now) ?? true
                ? [(AccountNodes.joinRequest() / entry.key, entry.value)] : []
        }
        return count
    }

    /// Checks some children of a node, a page at a time.
    ///
    /// - Parameter expired: Returns the expired records of a child.
    private func sweep(
        _ path: TreePath, limit: Int, _ expired: (TreeChild) -> [(path: TreePath, value: TreeValue)]
    ) async throws -> Int {
        var (seen, count) = (0, 0)
        while seen < limit {
            let page = try await nextPage(of: path)
            let over = page.flatMap(expired)
            for start in stride(from: 0, to: over.count, by: Self.pageSize) {
                try await delete(Array(over[start..<min(start + Self.pageSize, over.count)]))
            }
            seen += page.count
            count += over.count
            guard page.count == Self.pageSize else { break }
        }
        return count
    }

    /// Deletes records that have not changed since they were read.
    private func delete(_ over: [(path: TreePath, value: TreeValue)]) async throws {
        try await store.tree.transact { snapshot, update in
            for (path, value) in over where try snapshot.get(path) == value {
                update[path] = nil
                if let email = ActionCode(value)?.email, let key = path.lastKey {
                    update[AccountPaths.codes(of: email) / key] = nil
                }
                if path.keys.first == AccountNodes.invitation.root, let hash = Invitation(value, at: path.lastKey)?.hash
                {
                    update[AccountNodes.invitationCode() / hash] = nil
                }
            }
        }
    }

    /// Returns the children after those of the previous call; starts again once all have been checked.
    private func nextPage(of path: TreePath) async throws(TreeError) -> [TreeChild] {
        let range = last.withLock { $0[path] }.map(KeyRange.after) ?? .all
        let page = try await store.tree.children(of: path, range: range, limit: Self.pageSize)
        last.withLock { $0[path] = page.count < Self.pageSize ? nil : page.last?.key }
        return page
    }
}
