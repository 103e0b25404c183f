package import Model
package import Tree

/// What has become of a home feed.
package enum HomeFeedEvent: Sendable {
    /// A post that is in the feed: a new one, or one that is another now.
    case put(FeedItem, PostPosition)
    /// A post that is not in the feed any more.
    case removed(TreeKey)
    /// No post of somebody is in the feed any more.
    case left(UserID)
    /// More has changed than can be told: whoever shows the feed has to read it again.
    case replaced
}

/// Tells what becomes of a home feed, from the change log: nothing is written for it, and whoever publishes does not know
/// who is listening.
///
/// Events tell what is the case when they are made, which may be later than the change that they are told for. What has
/// changed since is told again with its own change: whoever takes in all events in their order, some of them perhaps twice,
/// has the feed as it is.
package struct HomeFeedEvents: Sendable {
    private let tree: TreeStore
    private let reader: UserID

    package init(of reader: UserID, in tree: TreeStore) {
        self.tree = tree
        self.reader = reader
    }

    /// Begins to notice changes of the feed: each of the sequences has an element when something may have changed.
    package func listen(bufferLimit: Int) async throws -> [Subscription] {
        let places = [
            PostNodes.post(), PeopleNodes.following(reader), PeopleNodes.blocking(reader), PeopleNodes.blocked(reader),
            FollowUpTaskKind.backfill.path, FollowUpTaskKind.home.path / reader.key,
        ]
        var subscriptions: [Subscription] = []
        for place in places {
            subscriptions.append(try await tree.subscribe(to: place, bufferLimit: bufferLimit, readsValue: false))
        }
        return subscriptions
    }

    /// The changes of the feed that were committed after a position, as many as fit into a few megabytes; the position at
    /// which the next ones begin, and whether there may be more already.
    ///
    /// - Throws: `TreeError` with the code `token_too_old` or `token_unknown`: the feed has to be read again.
    package func changes(
        since token: SyncToken
    ) async throws -> (changes: [HomeFeedChange], next: SyncToken, hasMore: Bool) {
        try await tree.snapshot { [reader] snapshot in
            let (changes, next, hasMore) = try snapshot.changes(since: token, at: HomeFeedChange.nodes(of: reader))
            return (changes.compactMap { HomeFeedChange($0, for: reader) }, next, hasMore)
        }
    }

    /// What is to be told of a change, thing by thing; nil for what is nothing to the reader.
    ///
    /// - Parameters:
    ///   - numbers: Which things of the change.
    ///   - view: What posts are to have beside them.
    package func events(
        of change: HomeFeedChange, _ numbers: Range<Int>, _ view: FeedView
    ) async throws -> [HomeFeedEvent?] {
        var view = view
        view.viewer = reader
        return try await tree.snapshot { [reader, view] snapshot in
            var teller = HomeFeedNotifier(reader, view, in: snapshot)
            var events: [HomeFeedEvent?] = []
            for touch in change.touches[numbers] {
                events.append(try teller.event(of: touch, formerAuthors: change.formerAuthors))
            }
            return events
        }
    }

    /// Whether the feed's reader is there.
    package var hasReader: Bool {
        get async throws { try await tree.snapshot { [reader] in try $0.exists(PeopleNodes.person(reader)) } }
    }
}

/// Tells in one state of the tree what is the case.
private struct HomeFeedNotifier {
    private let reader: UserID
    private let view: FeedView
    private let snapshot: TreeSnapshot
    private var filter: FeedFilter
    private var blocks: BlockedPeople

    init(_ reader: UserID, _ view: FeedView, in snapshot: TreeSnapshot) {
        self.reader = reader
        self.view = view
        self.snapshot = snapshot
        filter = FeedFilter(of: reader, view, in: snapshot)
        blocks = BlockedPeople(of: reader)
    }

    mutating func event(
        of touch: HomeFeedChange.Touch, formerAuthors: [TreeKey: UserID]
    ) throws(TreeError) -> HomeFeedEvent? {
        switch touch {
        case .everything: return .replaced
        case .arrival(let person), .block(let person, isThere: false):
            return try isFollowed(person) ? .replaced : nil
        // One's own posts stay, whatever one follows.
        case .departure(let person): return person == reader ? nil : .left(person)
        // Who did not follow is not told of the block.
        case .block(let person, isThere: true): return try isFollowed(person) ? .left(person) : nil
        case .post(let id, let isThere):
            if let (item, position) = try shown(id) { return .put(item, position) }
            // Whose a post was that goes is not known of who has been deleted before.
            if !isThere, formerAuthors[id] == nil { return .removed(id) }
            return try mayHaveBeenShown(id, by: formerAuthors[id]) ? .removed(id) : nil
        }
    }

    private mutating func isFollowed(_ person: UserID) throws(TreeError) -> Bool {
        guard person != reader else { return false }
        return try filter.isFollowed(person, by: reader)
    }

    /// A post that is in the feed; nil for any other.
    private mutating func shown(_ id: TreeKey) throws(TreeError) -> (FeedItem, PostPosition)? {
        guard let record = try snapshot.get(PostNodes.post() / id), PostShape.fault(of: record) == nil,
            let place = try PublicationEntry(of: id, in: snapshot)
        else { return nil }
        let post = ListedPost(place.position, id, author: place.author?.description)
        guard try filter.mayShow(post), try filter.shows(post, record) else { return nil }
        return (try FeedItem(PostPage.Item(id: id, record: record), view, &blocks, in: snapshot), place.position)
    }

    /// Whether a post that is not in the feed may have been there: its author, then or now, is somebody whom the reader sees.
    private mutating func mayHaveBeenShown(_ id: TreeKey, by formerAuthor: UserID?) throws(TreeError) -> Bool {
        if let formerAuthor, try filter.isFollowed(formerAuthor, by: reader) { return true }
        guard let author = try PublicationEntry(of: id, in: snapshot)?.author else { return false }
        return try filter.isFollowed(author, by: reader)
    }
}
