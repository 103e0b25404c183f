import Synchronization
package import Tree
import TreeModel

/// Deletes sessions, codes and revocations whose time is over, some at each call.
package final class AccountSweeper: Sendable {
    /// The time for which a revocation is kept, in milliseconds: no token from before it is good any more then.
    static let revocationMilliseconds: Int64 = 25 * 3_600_000

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
        var over: [(path: TreePath, value: TreeValue)] = []
        for account in try await nextPage(of: AccountPaths.sessions, limit: limit) {
            for (id, record) in account.value.object ?? [:] where Session(record)?.isExpired(at: now) ?? true {
                over.append((AccountPaths.sessions(of: account.key) / id, record))
            }
        }
        for code in try await nextPage(of: AccountPaths.codes, limit: limit) {
            guard code.value["expires"]?.integerValue ?? 0 <= now else { continue }
            over.append((AccountPaths.codes / code.key, code.value))
        }
        for entry in try await nextPage(of: AccountPaths.revocations, limit: limit) {
            guard (entry.value.integerValue ?? 0) * 1000 + Self.revocationMilliseconds <= now else { continue }
            over.append((AccountPaths.revocation(of: entry.key), entry.value))
        }
        for start in stride(from: 0, to: over.count, by: 200) {
            try await delete(Array(over[start..<min(start + 200, over.count)]))
        }
        return over.count
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

    private func nextPage(of path: TreePath, limit: Int) async throws(TreeError) -> [TreeChild] {
        let range = last.withLock { $0[path] }.map(KeyRange.after) ?? .all
        let page = try await store.tree.children(of: path, range: range, limit: limit)
        last.withLock { $0[path] = page.count < limit ? nil : page.last?.key }
        return page
    }
}

extension AccountStore {
    /// The times before which tokens are refused, in seconds since the epoch, by the ids of accounts: what a start has to
    /// know before it believes tokens.
    package func revocations() async throws(TreeError) -> [String: Int64] {
        var revocations: [String: Int64] = [:]
        for entry in try await tree.children(of: AccountPaths.revocations) {
            revocations[entry.key.string] = entry.value.integerValue
        }
        return revocations
    }
}
