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
        var users: Int
    }

    private let hub: LiveHub
    private let entries = Mutex<[Key: Entry]>([:])

    init(hub: LiveHub) { self.hub = hub }

    /// The feed of a query, for one more user, who has to release it.
    func take(_ key: Key, make: () -> QueryFeed) -> QueryFeed {
        entries.withLock { entries in
            entries[key]?.users += 1
            if let entry = entries[key] { return entry.feed }
            let feed = make()
            let listener = hub.add(feed, at: StorageFormat.dataKey(key.path))
            entries[key] = Entry(feed: feed, listener: listener, users: 1)
            return feed
        }
    }

    /// Tells that a user has done with a feed.
    func release(_ key: Key, _ listener: UInt64) {
        entries.withLock { entries in
            guard var entry = entries[key] else { return }
            entry.feed.leave(listener)
            entry.users -= 1
            if entry.users == 0 {
                entry.feed.finish()
                hub.remove(entry.listener, at: StorageFormat.dataKey(key.path))
            }
            entries[key] = entry.users == 0 ? nil : entry
        }
    }
}
