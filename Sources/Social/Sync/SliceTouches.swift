import Model
import Tree

/// The parts of a reader's slice that some changes of the tree may have altered, each part once: what matters is the
/// state after the changes, so that a post with a thousand likes is one part.
struct SliceTouches {
    /// The number of parts from which no further change is added.
    static let enough = 500

    /// A post of an audience.
    struct Story: Hashable {
        let audience: TreeKey
        /// The id of the post; nil for all posts of the audience.
        let post: TreeKey?
    }

    private(set) var feed: Set<HomeFeedChange.Touch> = []
    /// The former authors of posts that were deleted or got another author.
    private(set) var formerAuthors: [TreeKey: Set<UserID>] = [:]
    /// The posts with comments that have changed: the first ones are shown with the post.
    private(set) var commented: Set<TreeKey> = []
    /// Whether a block between the reader and somebody has begun or ended, which hides or shows what they have written
    /// everywhere.
    private(set) var isSightOfPeopleChanged = false
    /// The posts whose counts may have changed.
    private(set) var counts: Set<TreeKey> = []
    private(set) var notifications: Set<TreeKey> = []
    private(set) var areNotificationsReplaced = false
    private(set) var announcements: Set<TreeKey> = []
    /// Whether the reader has marked announcements as read.
    private(set) var areAnnouncementsRead = false
    /// The audiences of which the reader has become or ceased to be a member, or has got another role.
    private(set) var memberships: Set<TreeKey> = []
    /// The audiences, of anybody, that have changed.
    private(set) var audiences: Set<TreeKey> = []
    private(set) var areAudiencesReplaced = false
    private(set) var stories: Set<Story> = []
    private(set) var areStoriesReplaced = false
    private(set) var uploads: Set<TreeKey> = []

    /// The number of parts.
    var count: Int {
        feed.count + commented.count + counts.count + notifications.count + announcements.count + memberships.count
            + audiences.count + stories.count + uploads.count
    }

    /// The nodes whose changes are observed after those of the home feed.
    private enum Node: Int, CaseIterable {
        case posts, stats, likes, comments, notifications, announcements, announcementsRead, memberships, audiences
        case stories, uploads

        func path(of reader: UserID) -> TreePath {
            switch self {
            case .posts: PostNodes.post()
            case .stats: ReactionNodes.stats()
            case .likes: ReactionNodes.like()
            case .comments: ReactionNodes.comment()
            case .notifications: NotificationNodes.notification(reader)
            case .announcements: NotificationNodes.announcement()
            case .announcementsRead: NotificationNodes.announcementsRead(reader)
            case .memberships: AudienceNodes.membership(reader)
            case .audiences: AudienceNodes.audience()
            case .stories: AudienceNodes.story()
            case .uploads: UploadNodes.upload()
            }
        }
    }

    /// Returns the paths of all observed nodes.
    static func nodes(of reader: UserID) -> [TreePath] {
        HomeFeedChange.nodes(of: reader) + Node.allCases.map { $0.path(of: reader) }
    }

    /// Adds what a change has altered.
    ///
    /// - Parameter change: The change as seen from each of ``nodes(of:)``.
    mutating func add(_ change: WrittenPaths, for reader: UserID) {
        if let home = HomeFeedChange(change, for: reader) {
            feed.formUnion(home.touches)
            for (post, author) in home.formerAuthors { formerAuthors[post, default: []].insert(author) }
            for case .block in home.touches { isSightOfPeopleChanged = true }
        }
        let start = HomeFeedChange.nodes(of: reader).count
        for node in Node.allCases {
            for write in change.seen[start + node.rawValue] { add(write, at: node, for: reader) }
        }
    }

    private mutating func add(_ write: WrittenPaths.Write, at node: Node, for reader: UserID) {
        let keys = write.path.keys
        guard let key = keys.first else { return addAll(of: node) }
        switch node {
        // Unlike events of a feed, a copy of a post also follows the author's name and the renditions.
        case .posts: feed.insert(.post(key, isThere: keys.count > 1 || !write.isDeletion))
        case .stats: counts.insert(key)
        case .likes: if keys.count == 1 || keys[1] == reader.key { counts.insert(key) }
        case .comments: commented.insert(key)
        case .notifications: notifications.insert(key)
        case .announcements: announcements.insert(key)
        case .announcementsRead: areAnnouncementsRead = true
        case .memberships:
            memberships.insert(key)
            areStoriesReplaced = true
        case .audiences: audiences.insert(key)
        case .stories: stories.insert(Story(audience: key, post: keys.count == 1 ? nil : keys[1]))
        case .uploads: uploads.insert(key)
        }
    }

    /// Adds a write of a whole node, or above it, which an import may be.
    private mutating func addAll(of node: Node) {
        switch node {
        case .posts, .stats, .likes, .comments: feed.insert(.everything)
        case .notifications, .announcements: areNotificationsReplaced = true
        case .announcementsRead: areAnnouncementsRead = true
        case .memberships, .audiences: (areAudiencesReplaced, areStoriesReplaced) = (true, true)
        case .stories: areStoriesReplaced = true
        // Nobody writes all uploads at once.
        case .uploads: break
        }
    }
}
