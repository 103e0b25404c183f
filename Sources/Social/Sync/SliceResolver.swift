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
            try resolveNamed(touches, into: &result.named)
            try resolveCounts(touches, besides: result, into: &result.counts)
        }
        try resolveNotifications(touches, into: &result.notifications)
        try resolveAudiences(touches, into: &result.audiences)
        try resolveStories(touches, into: &result.stories)
        try resolveUploads(touches, into: &result.uploads)
    }

    // MARK: The home feed

    private mutating func resolveFeed(_ touches: SliceTouches, into feed: inout SliceChange.Posts) throws(TreeError) {
        // What a blocked person has written is hidden in others' posts, too.
        guard !touches.isSightOfPeopleChanged else {
            feed.isReplaced = true
            return
        }
        var shown: Set<TreeKey> = []
        var gone: Set<TreeKey> = []
        for touch in touches.feed.union(comments(touches)) {
            switch try home.event(of: touch, formerAuthors: touches.formerAuthors) {
            case .replaced:
                feed = SliceChange.Posts(isReplaced: true)
                return
            case .put(let item, _): if shown.insert(item.id).inserted { feed.items.append(item) }
            case .removed(let id): gone.insert(id)
            case .left(let person): feed.left.append(person)
            case nil: break
            }
        }
        feed.items.sort(by: Self.isEarlier)
        feed.removed = gone.subtracting(shown).sorted()
        feed.left.sort { $0.description < $1.description }
    }

    /// Returns the touches of posts by their comments, if the reader sees comments.
    private func comments(_ touches: SliceTouches) -> Set<HomeFeedChange.Touch> {
        view.showsComments ? Set(touches.commented.map { .post($0, isThere: true) }) : []
    }

    // MARK: Named posts

    private mutating func resolveNamed(_ touches: SliceTouches, into posts: inout SliceChange.Posts) throws(TreeError) {
        guard !named.isEmpty else { return }
        guard !touches.isSightOfPeopleChanged, !touches.feed.contains(.everything) else {
            posts.isReplaced = true
            posts.items = try namedPosts()
            return
        }
        var touched: Set<TreeKey> = []
        for case .post(let id, _) in touches.feed.union(comments(touches)) { touched.insert(id) }
        for id in touched.intersection(named).sorted() {
            if let item = try namedPost(id) { posts.items.append(item) } else { posts.removed.append(id) }
        }
    }

    /// Returns those of the named posts that the reader sees.
    mutating func namedPosts() throws(TreeError) -> [FeedItem] {
        var items: [FeedItem] = []
        for id in named.sorted() {
            if let item = try namedPost(id) { items.append(item) }
        }
        return items
    }

    /// Returns a named post; nil if it does not exist, or the reader does not see its author.
    private mutating func namedPost(_ id: TreeKey) throws(TreeError) -> FeedItem? {
        guard let record = try snapshot.get(PostNodes.post() / id), PostShape.fault(of: record) == nil,
            try !blocks.containAuthor(of: record, in: snapshot)
        else { return nil }
        let position = try snapshot.position(ofPost: id)
        let item = try PostPage.Item(id: id, record: record, position: position, in: snapshot)
        return try FeedItem(item, view, &blocks, in: snapshot)
    }

    private mutating func resolveCounts(
        _ touches: SliceTouches, besides change: SliceChange, into counts: inout [SliceChange.Counts]
    ) throws(TreeError) {
        guard view.showsCounts || view.showsLikes else { return }
        let told = (feed: Set(change.feed.items.map(\.id)), named: Set(change.named.items.map(\.id)))
        for id in touches.counts.sorted() {
            var isTold = false
            if !change.feed.isReplaced, !told.feed.contains(id) { isTold = try home.isShown(id) }
            if !isTold, named.contains(id), !change.named.isReplaced, !told.named.contains(id) {
                isTold = try namedPost(id) != nil
            }
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
        let inbox = try AnnouncementInbox(of: reader, at: now, in: snapshot)
        let oldest = inbox.items.last?.position
        defer { result.oldestAnnouncement = oldest }
        // The id of a notification of an announcement is its position, which is lost with it. Announcements also leave the
        // list without a change, by their age.
        let known = Set(inbox.items.map(\.id))
        guard !touches.areNotificationsReplaced, touches.announcements.isSubset(of: known),
            oldest == result.oldestAnnouncement
        else {
            result.isReplaced = true
            return
        }
        guard touches.areAnnouncementsRead || !touches.notifications.isEmpty || !touches.announcements.isEmpty else {
            return
        }
        result.unread = try snapshot.unreadCount(of: reader) + inbox.unreadCount
        for id in touches.notifications.sorted() {
            if let row = try snapshot.get(NotificationNodes.notification(reader) / id) {
                let group = NotificationGroup(TreeChild(key: id, value: row))
                // The changed ones may be far from each other in a long list.
                let times = [id: try EntityTimes(at: TimeNodes.notification(reader) / id, in: snapshot)]
                result.documents.append(
                    try NotificationDocument(Notifications.Entry(id: id, content: .group(group)), times, in: snapshot))
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
        stories.isReplaced = touches.areStoriesReplaced || touches.isSightOfPeopleChanged
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
            } else if try !isHidden(id, of: story.audience) {
                stories.removed.append(id)
            }
        }
        stories.items.sort(by: Self.isEarlier)
        stories.removed.sort()
    }

    /// Whether a post exists and is hidden by a block: a copy cannot have it.
    private mutating func isHidden(_ id: TreeKey, of audience: TreeKey) throws(TreeError) -> Bool {
        guard let record = try snapshot.get(AudienceNodes.story() / audience / id) else { return false }
        return try blocks.containAuthor(of: record, in: snapshot)
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
        let item = try PostPage.Item(
            id: id, record: record, position: last, times: TimeNodes.audiencePost, in: snapshot)
        return try FeedItem(item, .ofAudiences(for: reader), &blocks, in: snapshot)
    }

    // MARK: Uploads

    private func resolveUploads(_ touches: SliceTouches, into uploads: inout [PostID]) throws(TreeError) {
        for key in touches.uploads.sorted() {
            guard let id = PostID(key.string),
                try snapshot.get(UploadNodes.upload(id) / "owner") == .string(reader.description)
            else { continue }
            uploads.append(id)
        }
    }
}
