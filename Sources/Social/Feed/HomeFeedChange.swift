import Model
package import Tree

/// What of a change of the tree may be told to whoever shows a home feed. It depends on the change alone, so that the
/// same position in it always means the same.
package struct HomeFeedChange: Sendable {
    /// Something that a change has touched, so that the feed may be another now.
    enum Touch: Hashable {
        /// More than can be told one by one.
        case everything
        /// The posts of somebody, as of whom the reader follows: they come, or are all there now.
        case arrival(of: UserID)
        /// The posts of somebody whom the reader has left.
        case departure(of: UserID)
        /// A block between the reader and somebody, which has begun or ended; follows end in the same change.
        case block(UserID, isThere: Bool)
        /// A post that is written, or that goes with the change.
        case post(TreeKey, isThere: Bool)
    }

    /// The position just after the change.
    package let token: SyncToken
    let touches: [Touch]
    /// Of posts that were deleted or given to somebody else: whose they were.
    private(set) var formerAuthors: [TreeKey: UserID] = [:]

    /// The number of things that may be told.
    package var count: Int { touches.count }

    /// A node from which changes are seen: what derivations write beside facts is seen where clients can see it.
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

    /// The paths of all nodes from which changes are seen.
    static func nodes(of reader: UserID) -> [TreePath] { Node.allCases.map { $0.path(of: reader) } }

    /// Makes out what a change touches; nil for nothing that is in any home feed of the reader.
    ///
    /// - Parameter seen: The change as it is seen from each of ``nodes(of:)``.
    init?(_ seen: [Change?], for reader: UserID) {
        guard seen.count == Node.allCases.count, let token = seen.lazy.compactMap({ $0?.token }).first else {
            return nil
        }
        self.token = token
        func writes(_ node: Node) -> [TreeWrite] { seen[node.rawValue]?.writes ?? [] }
        for write in writes(.people) where write.value == nil && write.path.depth == 3 && write.path.keys[1] == "posts"
        {
            formerAuthors[write.path.keys[2]] = UserID(write.path.keys[0].string)
        }
        var touches = Self.follows(
            of: reader, in: writes(.people), isOtherNumber: seen[Node.followingCount.rawValue] != nil)
        for write in writes(.blocking) + writes(.blocked) {
            guard let key = write.path.keys.first else {
                touches.append(.everything)
                continue
            }
            if let other = UserID(key.string) { touches.append(.block(other, isThere: write.value != nil)) }
        }
        // A follow-up task that has brought posts is done.
        for write in writes(.backfill) where write.value == nil && write.path.depth == 1 {
            let people = write.path.keys[0].string.split(separator: " ").compactMap { UserID(String($0)) }
            if people.count == 2, people[0] == reader { touches.append(.arrival(of: people[1])) }
        }
        if writes(.home).contains(where: { $0.value == nil && $0.path.isRoot }) { touches.append(.everything) }
        for write in writes(.posts) {
            guard let id = write.path.keys.first else {
                touches.append(.everything)
                continue
            }
            if write.changesPost { touches.append(.post(id, isThere: write.path.depth > 1 || write.value != nil)) }
        }
        var known: Set<Touch> = []
        self.touches = touches.filter { known.insert($0).inserted }
        if self.touches.isEmpty { return nil }
    }

    /// Whom the reader begins to follow, and whom they leave.
    ///
    /// - Parameters:
    ///   - writes: The change as it is seen from `people/`.
    ///   - isOtherNumber: Whether the number of those whom the reader follows has changed.
    private static func follows(of reader: UserID, in writes: [TreeWrite], isOtherNumber: Bool) -> [Touch] {
        let own = writes.filter { write in write.path.keys.first.map { $0 == reader.key } ?? true }
        let links = own.filter { write in
            write.path.depth >= 3 && write.path.keys[1] == "following"
        }
        let isLeaving = links.contains { $0.value == nil }
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
            if write.value == nil {
                touches.append(.departure(of: followee))
            } else if isOtherNumber || isLeaving {
                // Else it is another mark of who was followed before.
                touches.append(.arrival(of: followee))
            }
        }
        return touches
    }
}

extension TreeWrite {
    /// Of a post: whether it may be another post now. Copies of the author's name and other renditions make none.
    fileprivate var changesPost: Bool {
        guard path.depth > 1, value != nil else { return true }
        switch path.keys[1] {
        case "photos", "full_url", "full_storage_uri", "thumb_url", "thumb_storage_uri": return false
        case "author": return path.depth == 2 || path.keys[2] == "uid"
        default: return true
        }
    }
}
