import Synchronization

/// The feeds of all queries that are listened to.
final class QueryFeeds: Sendable {
    struct Key: Hashable {
        let path: TreePath
        let query: TreeQuery
    }

    private struct Entry {
        let feed: QueryFeed
        /// Under which the feed listens to the place itself.
        let listener: UInt64
        var users: Set<UInt64>
    }

    private let hub: LiveHub
    private let entries = Mutex<[Key: Entry]>([:])

    init(hub: LiveHub) { self.hub = hub }

    /// The feed of a query, for one more user, who has to release it.
    func take(_ key: Key, for user: UInt64, make: () -> QueryFeed) -> QueryFeed {
        entries.withLock { entries in
            entries[key]?.users.insert(user)
            if let entry = entries[key] { return entry.feed }
            let feed = make()
            let listener = hub.add(feed, at: StorageFormat.dataKey(key.path))
            entries[key] = Entry(feed: feed, listener: listener, users: [user])
            return feed
        }
    }

    /// Tells that a user has done with a feed; may be told twice.
    func release(_ key: Key, _ user: UInt64) {
        entries.withLock { entries in
            guard let entry = entries[key], entries[key]?.users.remove(user) != nil else { return }
            entry.feed.leave(user)
            guard entries[key]?.users.isEmpty == true else { return }
            entry.feed.finish()
            hub.remove(entry.listener, at: StorageFormat.dataKey(key.path))
            entries[key] = nil
        }
    }

    /// Lets all feeds of a tree look again, because its rules have changed.
    func refresh(of namespace: Namespace) {
        let feeds = entries.withLock { entries in
            entries.filter { $0.key.path.namespace == namespace }.map(\.value.feed)
        }
        for feed in feeds { feed.refresh() }
    }
}
