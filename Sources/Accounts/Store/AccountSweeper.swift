import Model
import Synchronization
package import Tree
import TreeModel

/// Deletes sessions, codes and revocations whose time is over, some at each call.
package final class AccountSweeper: Sendable {
    /// The time for which a revocation is kept: no token from before it is good any more then.
    static let revocation = Duration.seconds(25 * 3600)

    /// How much is read, and deleted in one update.
    private static let pageSize = 200

    private let store: AccountStore
    /// The keys after which the next call goes on; a path without one begins anew.
    private let last = Mutex<[TreePath: TreeKey]>([:])

    package init(of store: AccountStore) { self.store = store }

    /// Looks at the sessions of some accounts, and at some codes and revocations, going on where the call before ended.
    ///
    /// - Parameter limit: The most accounts, codes and revocations, each.
    /// - Returns: The number of records that were over.
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
        return count
    }

    /// Looks at some children of a node, a page at a time.
    ///
    /// - Parameter expired: What of a child is over.
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

    /// Deletes what is still as it was.
    private func delete(_ over: [(path: TreePath, value: TreeValue)]) async throws {
        try await store.tree.transact { snapshot, update in
            for (path, value) in over where try snapshot.get(path) == value {
                update[path] = nil
                if let email = ActionCode(value)?.email, let key = path.lastKey {
                    update[AccountPaths.codes(of: email) / key] = nil
                }
            }
        }
    }

    /// The children after those of the call before; from the first one on once all have been seen.
    private func nextPage(of path: TreePath) async throws(TreeError) -> [TreeChild] {
        let range = last.withLock { $0[path] }.map(KeyRange.after) ?? .all
        let page = try await store.tree.children(of: path, range: range, limit: Self.pageSize)
        last.withLock { $0[path] = page.count < Self.pageSize ? nil : page.last?.key }
        return page
    }
}

extension AccountStore {
    /// The times before which tokens are refused, in seconds since the epoch, by the ids of accounts: what a start has to
    /// know before it believes tokens.
    package func revocations() async throws(TreeError) -> [String: Int64] {
        var revocations: [String: Int64] = [:]
        for entry in try await tree.children(of: AccountNodes.revocation()) {
            revocations[entry.key.string] = entry.value.integerValue
        }
        return revocations
    }
}
