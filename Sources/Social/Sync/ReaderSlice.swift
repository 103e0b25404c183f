import API
package import Model
package import Tree

/// The part of the tree that a reader's devices keep: the home feed with its counts and comments, the posts of the
/// reader's audiences, the memberships, the notifications, and the reader's own uploads.
///
/// Its changes are derived from the change log when they are read. Nothing is written for readers, and publishing
/// does not depend on their number.
package struct ReaderSlice: Sendable {
    /// The parts of the slice that the rules let the reader read.
    package struct Sight: Sendable {
        /// The data to include with posts.
        package var view: FeedView
        package var showsPosts = true

        package init(_ view: FeedView) { self.view = view }
    }

    private let reader: UserID
    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Returns the current time.
    package init(of reader: UserID, in tree: TreeStore, clock: @escaping @Sendable () -> Timestamp) {
        self.reader = reader
        self.tree = tree
        self.clock = clock
    }

    /// Observes the slice: each of the sequences produces an element when something in it may have changed, except
    /// counts, comments, the names of audiences and uploads.
    package func listen(bufferLimit: Int) async throws -> [Subscription] {
        var subscriptions = try await HomeFeedEvents(of: reader, in: tree).listen(bufferLimit: bufferLimit)
        let paths = [
            NotificationNodes.notification(reader), NotificationNodes.announcement(),
            NotificationNodes.announcementsRead(reader), AudienceNodes.membership(reader), AudienceNodes.story(),
        ]
        for path in paths {
            subscriptions.append(try await tree.subscribe(to: path, bufferLimit: bufferLimit, readsValue: false))
        }
        return subscriptions
    }

    /// Returns what has changed since a position.
    ///
    /// - Parameters:
    ///   - named: Further posts of which the reader wants to know the changes.
    ///   - oldestAnnouncement: The oldest announcement of the state before.
    /// - Throws: `TreeError` with the code `token_too_old` or `token_unknown`: begin with
    ///   ``SliceChange/everything(at:)``.
    package func change(
        since token: SyncToken, oldestAnnouncement: TreeKey?, _ sight: Sight, named: Set<TreeKey>
    ) async throws -> SliceChange {
        let now = clock()
        return try await tree.snapshot { [reader] snapshot in
            let page = try WrittenPathsPage(since: token, at: SliceTouches.nodes(of: reader), in: snapshot)
            var (next, hasMore) = (page.next, page.hasMore)
            var touches = SliceTouches()
            for change in page.changes {
                if touches.count >= SliceTouches.enough {
                    (next, hasMore) = (SyncToken(sequence: change.token.sequence - 1), true)
                    break
                }
                touches.add(change, for: reader)
            }
            var result = SliceChange(next: next, hasMore: hasMore)
            result.notifications.oldestAnnouncement = oldestAnnouncement
            var resolver = SliceResolver(reader, sight, named: named, at: now, in: snapshot)
            try resolver.resolve(touches, into: &result)
            return result
        }
    }

    /// Returns those of some posts that the reader sees.
    package func posts(named: Set<TreeKey>, _ sight: Sight) async throws -> [FeedItem] {
        let now = clock()
        return try await tree.snapshot { [reader] snapshot in
            var resolver = SliceResolver(reader, sight, named: named, at: now, in: snapshot)
            return try resolver.namedPosts()
        }
    }

    /// Returns the position of the oldest announcement among the notifications; nil for none.
    package var oldestAnnouncement: TreeKey? {
        get async throws {
            let now = clock()
            return try await tree.snapshot { [reader] snapshot in
                try AnnouncementInbox(of: reader, at: now, in: snapshot).items.last?.position
            }
        }
    }
}
