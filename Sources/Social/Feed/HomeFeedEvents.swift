package import Model
package import Tree

/// An event of a home feed.
package enum HomeFeedEvent: Sendable {
    /// A post in the feed that is new or has changed.
    case put(FeedItem, PostPosition)
    /// A post that is no longer in the feed.
    case removed(TreeKey)
    /// A person whose posts are no longer in the feed.
    case left(UserID)
    /// More changes than can be reported: a client must read the feed again.
    case replaced
}

/// Derives the events of a home feed from the change log: they need no writes, and publishing does not depend on
/// listeners.
///
/// An event describes the state when it is created, which may be later than its change. Later changes are reported
/// again with their own events: a client that applies all events in their order, some perhaps twice, has the current
/// feed.
package struct HomeFeedEvents: Sendable {
    private let tree: TreeStore
    private let reader: UserID

    package init(of reader: UserID, in tree: TreeStore) {
        self.tree = tree
        self.reader = reader
    }

    /// Observes changes of the feed: each of the sequences produces an element when the feed may have changed.
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

    /// Returns the changes of the feed that were committed after a position, up to a few megabytes; the position at
    /// which the next ones begin, and whether more may already exist.
    ///
    /// - Throws: `TreeError` with the code `token_too_old` or `token_unknown`: the client must read the feed again.
    package func changes(
        since token: SyncToken
    ) async throws -> (changes: [HomeFeedChange], next: SyncToken, hasMore: Bool) {
        try await tree.snapshot { [reader] snapshot in
            let page = try WrittenPathsPage(since: token, at: HomeFeedChange.nodes(of: reader), in: snapshot)
            return (page.changes.compactMap { HomeFeedChange($0, for: reader) }, page.next, page.hasMore)
        }
    }

    /// Returns the events of a change, one for each effect; nil for an effect that does not concern the reader.
    ///
    /// - Parameters:
    ///   - numbers: The indices of the change's effects.
    ///   - view: The data to include with posts.
    package func events(
        of change: HomeFeedChange, _ numbers: Range<Int>, _ view: FeedView
    ) async throws -> [HomeFeedEvent?] {
        var view = view
        view.viewer = reader
        return try await tree.snapshot { [reader, view] snapshot in
            var teller = HomeFeedNotifier(reader, view, in: snapshot)
            let former = change.formerAuthors.mapValues { Set([$0]) }
            var events: [HomeFeedEvent?] = []
            for touch in change.touches[numbers] {
                events.append(try teller.event(of: touch, formerAuthors: former))
            }
            return events
        }
    }

    /// Whether the feed's reader exists.
    package var hasReader: Bool {
        get async throws { try await tree.snapshot { [reader] in try $0.exists(PeopleNodes.person(reader)) } }
    }
}

/// Creates the events of effects in one snapshot of the tree.
struct HomeFeedNotifier {
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
        of touch: HomeFeedChange.Touch, formerAuthors: [TreeKey: Set<UserID>]
    ) throws(TreeError) -> HomeFeedEvent? {
        switch touch {
        case .everything: return .replaced
        case .arrival(let person), .block(let person, isThere: false):
            return try isFollowed(person) ? .replaced : nil
        // The reader's own posts stay, whatever follows change.
        case .departure(let person): return person == reader ? nil : .left(person)
        // A block does not affect a reader who did not follow the person.
        case .block(let person, isThere: true): return try isFollowed(person) ? .left(person) : nil
        case .post(let id, let isThere):
            if let (item, position) = try shown(id) { return .put(item, position) }
            // The author of a deleted post is unknown if the author's account was deleted before.
            if !isThere, formerAuthors[id] == nil { return .removed(id) }
            return try mayHaveBeenShown(id, by: formerAuthors[id] ?? []) ? .removed(id) : nil
        }
    }

    private mutating func isFollowed(_ person: UserID) throws(TreeError) -> Bool {
        guard person != reader else { return false }
        return try filter.isFollowed(person, by: reader)
    }

    /// Returns a post that is in the feed; nil for any other.
    private mutating func shown(_ id: TreeKey) throws(TreeError) -> (FeedItem, PostPosition)? {
        guard let record = try snapshot.get(PostNodes.post() / id), PostShape.fault(of: record) == nil,
            let place = try PublicationEntry(of: id, in: snapshot)
        else { return nil }
        let post = ListedPost(place.position, id, author: place.author?.description)
        guard try filter.mayShow(post), try filter.shows(post, record) else { return nil }
        let item = try PostPage.Item(id: id, record: record, position: place.position, in: snapshot)
        return (try FeedItem(item, view, &blocks, in: snapshot), place.position)
    }

    /// Whether a post is in the feed, by its author.
    mutating func isShown(_ id: TreeKey) throws(TreeError) -> Bool {
        guard let author = try PublicationEntry(of: id, in: snapshot)?.author else { return false }
        return try filter.isFollowed(author, by: reader)
    }

    /// Whether a post that is not in the feed may have been in it: its former or current author is visible to the
    /// reader.
    private mutating func mayHaveBeenShown(_ id: TreeKey, by formerAuthors: Set<UserID>) throws(TreeError) -> Bool {
        for author in formerAuthors where try filter.isFollowed(author, by: reader) { return true }
        return try isShown(id)
    }
}
