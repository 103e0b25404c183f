import Synchronization

/// The subscriptions of all queries with listeners.
final class QuerySubscriptions: Sendable {
    struct Key: Hashable {
        let path: TreePath
        let query: TreeQuery
        let unindexed: UnindexedQueries
    }

    private struct Entry {
        let subscription: QuerySubscription
        /// The id of the subscription's own listener at the query's node.
        let listener: UInt64
        var users: Set<UInt64>
    }

    private let commits: CommitStream
    private let entries = Mutex<[Key: Entry]>([:])

    init(commits: CommitStream) { self.commits = commits }

    /// Returns the subscription of a query for one more user, who must release it.
    func take(_ key: Key, for user: UInt64, make: () -> QuerySubscription) -> QuerySubscription {
        entries.withLock { entries in
            entries[key]?.users.insert(user)
            if let entry = entries[key] { return entry.subscription }
            let subscription = make()
            let listener = commits.add(.query(subscription), at: StoreFormat.dataKey(key.path))
            entries[key] = Entry(subscription: subscription, listener: listener, users: [user])
            return subscription
        }
    }

    /// Returns the subscription of a query; nil if it has no users.
    func subscription(_ key: Key) -> QuerySubscription? { entries.withLock { $0[key]?.subscription } }

    /// Ends the use of a subscription; may be called twice.
    func release(_ key: Key, _ user: UInt64) {
        entries.withLock { entries in
            guard let entry = entries[key], entries[key]?.users.remove(user) != nil else { return }
            entry.subscription.leave(user)
            guard entries[key]?.users.isEmpty == true else { return }
            entry.subscription.finish()
            commits.remove(entry.listener, at: StoreFormat.dataKey(key.path))
            entries[key] = nil
        }
    }

    /// Makes all queries of a tree read again, because its rules have changed.
    func refresh(of namespace: Namespace) {
        let subscriptions = entries.withLock { entries in
            entries.filter { $0.key.path.namespace == namespace }.map(\.value.subscription)
        }
        for subscription in subscriptions { subscription.refresh() }
    }
}
