import API
import Model
import Tree

/// Reads the present values of touched parts of a slice, in one snapshot of the tree.
struct SliceResolver {
    private let reader: UserID
    private let view: FeedView
    private let showsPosts: Bool
    private let named: Set<TreeKey>
    private let now: Timestamp
    private let snapshot: TreeSnapshot
    private var home: HomeFeedNotifier
    private var filter: FeedFilter
    private var blocks: BlockedPeople

    init(
        _ reader: UserID, _ sight: ReaderSlice.Sight, named: Set<TreeKey>, at now: Timestamp, in snapshot: TreeSnapshot
    ) {
        var view = sight.view
        view.viewer = reader
        (self.reader, self.view, showsPosts, self.named) = (reader, view, sight.showsPosts, named)
        (self.now, self.snapshot) = (now, snapshot)
        home = HomeFeedNotifier(reader, view, in: snapshot)
        filter = FeedFilter(view, in: snapshot)
        blocks = BlockedPeople(of: reader)
    }

    mutating func resolve(_ touches: SliceTouches, into result: inout SliceChange) throws(TreeError) {
        if showsPosts {
            try resolveFeed(touches, into: &result.feed)
            try resolveCounts(touches, in: result.feed, into: &result.counts)
        }
        try resolveNotifications(touches, into: &result.notifications)
        try resolveAudiences(touches, into: &result.audiences)
        try resolveStories(touches, into: &result.stories)
        result.uploads = touches.uploads.compactMap { PostID($0.string) }.sorted { $0.description < $1.description }
    }

    // MARK: The home feed

    private mutating func resolveFeed(_ touches: SliceTouches, into feed: inout SliceChange.Posts) throws(TreeError) {
        var shown: Set<TreeKey> = []
        var gone: Set<TreeKey> = []
        for touch in touches.feed {
            switch try home.event(of: touch, formerAuthors: touches.formerAuthors) {
            case .replaced:
                feed = SliceChange.Posts(isReplaced: true)
                return
            case .put(let item, _): if shown.insert(item.id).inserted { feed.items.append(item) }
            case .removed(let id): gone.insert(id)
            case .left(let person): feed.left.append(person)
            case nil: break
            }
            if case .post(let id, _) = touch, named.contains(id), !shown.contains(id) {
                if let item = try namedPost(id) {
                    shown.insert(id)
                    feed.items.append(item)
                } else {
                    gone.insert(id)
                }
            }
        }
        feed.items.sort(by: Self.isEarlier)
        feed.removed = gone.subtracting(shown).sorted()
        feed.left.sort { $0.description < $1.description }
    }

    /// Returns a post that is not in the home feed; nil if it does not exist, or the reader does not see its author.
    private mutating func namedPost(_ id: TreeKey) throws(TreeError) -> FeedItem? {
        guard let record = try snapshot.get(PostNodes.post() / id), PostShape.fault(of: record) == nil,
            try !blocks.containAuthor(of: record, in: snapshot)
        else { return nil }
        let position = try snapshot.position(ofPost: id)
        let item = try PostPage.Item(id: id, record: record, position: position, in: snapshot)
        return try FeedItem(item, view, &blocks, in: snapshot)
    }

    private mutating func resolveCounts(
        _ touches: SliceTouches, in feed: SliceChange.Posts, into counts: inout [SliceChange.Counts]
    ) throws(TreeError) {
        guard !feed.isReplaced else { return }
        let told = Set(feed.items.map(\.id))
        for id in touches.counts.sorted() where !told.contains(id) {
            var isTold = try home.isShown(id)
            if !isTold, named.contains(id) { isTold = try namedPost(id) != nil }
            guard isTold else { continue }
            let numbers = try FeedItem.counts(of: id, view, in: snapshot)
            counts.append(
                SliceChange.Counts(
                    post: id, numbers: numbers, isLiked: try FeedItem.isLiked(id, view, in: snapshot)))
        }
    }

    private static func isEarlier(_ left: FeedItem, _ right: FeedItem) -> Bool {
        (left.position ?? PostPosition(sequence: 0), left.id) < (right.position ?? PostPosition(sequence: 0), right.id)
    }

    // MARK: Notifications

    private func resolveNotifications(
        _ touches: SliceTouches, into result: inout SliceChange.Notifications
    ) throws(TreeError) {
        guard
            touches.areNotificationsReplaced || touches.areAnnouncementsRead || !touches.notifications.isEmpty
                || !touches.announcements.isEmpty
        else { return }
        let inbox = try AnnouncementInbox(of: reader, at: now, in: snapshot)
        // The id of a notification of an announcement is its position, which is lost with it.
        let known = Set(inbox.items.map(\.id))
        guard !touches.areNotificationsReplaced, touches.announcements.isSubset(of: known) else {
            result.isReplaced = true
            return
        }
        result.unread = try snapshot.unreadCount(of: reader) + inbox.unreadCount
        for id in touches.notifications.sorted() {
            if let row = try snapshot.get(NotificationNodes.notification(reader) / id) {
                result.documents.append(try NotificationDocument(row, id: id, in: snapshot))
            } else {
                result.removed.append(id)
            }
        }
        for item in inbox.items where touches.areAnnouncementsRead || touches.announcements.contains(item.id) {
            result.documents.append(try NotificationDocument(item, in: snapshot))
        }
    }

    // MARK: Audiences

    private func resolveAudiences(
        _ touches: SliceTouches, into result: inout SliceChange.Audiences
    ) throws(TreeError) {
        guard !touches.areAudiencesReplaced else {
            result.isReplaced = true
            return
        }
        for key in touches.memberships.union(touches.audiences).sorted() {
            guard let id = AudienceID(key.string) else { continue }
            if try isMember(of: key), let audience = try Audience(id, for: reader, in: snapshot) {
                result.audiences.append(audience)
            } else if touches.memberships.contains(key) {
                // Others' audiences are none of the reader's business.
                result.removed.append(key)
            }
        }
    }

    private func isMember(of audience: TreeKey) throws(TreeError) -> Bool {
        try snapshot.exists(AudienceNodes.membership(reader) / audience)
    }

    private mutating func resolveStories(
        _ touches: SliceTouches, into stories: inout SliceChange.Posts
    ) throws(TreeError) {
        stories.isReplaced = touches.areStoriesReplaced
        let list = MemberAudienceFeeds(of: reader)
        var resolved: Set<TreeKey> = []
        for story in touches.stories where !stories.isReplaced {
            guard try isMember(of: story.audience) else { continue }
            guard let id = story.post else {
                stories = SliceChange.Posts(isReplaced: true)
                return
            }
            guard resolved.insert(id).inserted else { continue }
            if let item = try self.story(id, in: list) {
                stories.items.append(item)
            } else {
                stories.removed.append(id)
            }
        }
        stories.items.sort(by: Self.isEarlier)
        stories.removed.sort()
    }

    /// Returns a post of the reader's audiences as the list of all of them has it; nil if it is not in the list.
    private mutating func story(_ id: TreeKey, in list: MemberAudienceFeeds) throws(TreeError) -> FeedItem? {
        var last: PostPosition?
        for row in try snapshot.children(of: AudienceNodes.positions(id)) where try isMember(of: row.key) {
            guard let position = row.value.stringValue.flatMap({ PostPosition(key: TreeKey(unchecked: $0)) }) else {
                continue
            }
            last = last.map { max($0, position) } ?? position
        }
        guard let last else { return nil }
        let post = ListedPost(last, id, author: nil)
        guard let record = try list.record(of: post, from: snapshot), PostShape.fault(of: record) == nil,
            try filter.shows(post, record)
        else { return nil }
        var view = FeedView(viewer: reader)
        (view.showsCounts, view.showsComments, view.showsLikes) = (false, false, false)
        let item = try PostPage.Item(
            id: id, record: record, position: last, times: TimeNodes.audiencePost, in: snapshot)
        return try FeedItem(item, view, &blocks, in: snapshot)
    }
}
