import Model
package import Tree

/// The effects of a change of the tree on a reader's home feed. They are computed from the change alone, so that the
/// same index always denotes the same effect.
package struct HomeFeedChange: Sendable {
    /// An effect of a change that may alter the feed.
    enum Touch: Hashable {
        /// More effects than can be reported one by one.
        case everything
        /// The posts of a person whom the reader may have begun to follow. Their addition to the feed has just begun,
        /// or is complete.
        case arrival(of: UserID)
        /// The posts of a former followee.
        case departure(of: UserID)
        /// A block between the reader and a person, which has begun or ended. When it begins, follows between the two
        /// end in the same change.
        case block(UserID, isThere: Bool)
        /// A post that the change writes or deletes.
        case post(TreeKey, isThere: Bool)
    }

    /// The position just after the change.
    package let token: SyncToken
    let touches: [Touch]
    /// The former authors of posts that were deleted or got another author.
    private(set) var formerAuthors: [TreeKey: UserID] = [:]

    /// The number of effects.
    package var count: Int { touches.count }

    /// The nodes whose changes are observed: for derived data, the node that clients can see.
    private enum Node: Int, CaseIterable {
        case posts, people, followingCount, blocking, blocked, backfill, home

        func path(of reader: UserID) -> TreePath {
            switch self {
            case .posts: PostNodes.post()
            case .people: PeopleNodes.person()
            case .followingCount: PeopleNodes.stats(reader) / "following"
            case .blocking: PeopleNodes.blocking(reader)
            case .blocked: PeopleNodes.blocked(reader)
            case .backfill: FollowUpTaskKind.backfill.path
            case .home: FollowUpTaskKind.home.path / reader.key
            }
        }
    }

    /// Returns the paths of all observed nodes.
    static func nodes(of reader: UserID) -> [TreePath] { Node.allCases.map { $0.path(of: reader) } }

    /// Determines the effects of a change; nil if it does not affect the reader's home feed.
    ///
    /// - Parameter change: The change as seen from each of ``nodes(of:)``.
    init?(_ change: WrittenPaths, for reader: UserID) {
        token = change.token
        func writes(_ node: Node) -> [WrittenPaths.Write] { change.seen[node.rawValue] }
        for write in writes(.people)
        where write.isDeletion && write.path.depth == 3 && write.path.keys[1] == "posts" {
            formerAuthors[write.path.keys[2]] = UserID(write.path.keys[0].string)
        }
        var touches = Self.follows(
            of: reader, in: writes(.people), isOtherNumber: !writes(.followingCount).isEmpty)
        for write in writes(.blocking) + writes(.blocked) {
            guard let key = write.path.keys.first else {
                touches.append(.everything)
                continue
            }
            if let other = UserID(key.string) { touches.append(.block(other, isThere: !write.isDeletion)) }
        }
        // A follow-up task that has added posts is complete.
        for write in writes(.backfill) where write.isDeletion && write.path.depth == 1 {
            let people = write.path.keys[0].string.split(separator: " ").compactMap { UserID(String($0)) }
            if people.count == 2, people[0] == reader { touches.append(.arrival(of: people[1])) }
        }
        if writes(.home).contains(where: { $0.isDeletion && $0.path.isRoot }) { touches.append(.everything) }
        for write in writes(.posts) {
            guard let id = write.path.keys.first else {
                touches.append(.everything)
                continue
            }
            if write.changesPost { touches.append(.post(id, isThere: write.path.depth > 1 || !write.isDeletion)) }
        }
        var known: Set<Touch> = []
        self.touches = touches.filter { known.insert($0).inserted }
        if self.touches.isEmpty { return nil }
    }

    /// Returns the effects of what the change writes to the reader's follows: an arrival for each new followee, a
    /// departure for each former one, and `everything` for a write above the single follows.
    ///
    /// - Parameters:
    ///   - writes: The change as observed at `people/`.
    ///   - isOtherNumber: Whether the number of the reader's followees has changed. If not, and no follow is deleted,
    ///     the writes are new marks of followees, which have no effect.
    private static func follows(of reader: UserID, in writes: [WrittenPaths.Write], isOtherNumber: Bool) -> [Touch] {
        let own = writes.filter { write in write.path.keys.first.map { $0 == reader.key } ?? true }
        let links = own.filter { write in
            write.path.depth >= 3 && write.path.keys[1] == "following"
        }
        let isLeaving = links.contains(where: \.isDeletion)
        var touches: [Touch] = []
        for write in own {
            guard write.path.depth >= 2 else {
                touches.append(.everything)
                continue
            }
            guard write.path.keys[1] == "following" else { continue }
            guard write.path.depth >= 3, let followee = UserID(write.path.keys[2].string) else {
                touches.append(.everything)
                continue
            }
            if write.isDeletion {
                touches.append(.departure(of: followee))
            } else if isOtherNumber || isLeaving {
                // Otherwise it is a new mark of an existing followee.
                touches.append(.arrival(of: followee))
            }
        }
        return touches
    }
}

extension WrittenPaths.Write {
    /// Whether a change of a post may alter how it is shown. Copies of the author's name and other renditions do not.
    fileprivate var changesPost: Bool {
        guard path.depth > 1, !isDeletion else { return true }
        switch path.keys[1] {
        case "photos", "full_url", "full_storage_uri", "thumb_url", "thumb_storage_uri": return false
        case "author": return path.depth == 2 || path.keys[2] == "uid"
        default: return true
        }
    }
}
