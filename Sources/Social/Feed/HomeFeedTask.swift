import Model
import Tree

/// Adds the posts to a home feed that were too many for one reading: the posts after a position of the reader and of
/// the reader's followees, one person after the other.
struct HomeFeedTask: FollowUpTask {
    static let kind = FollowUpTaskKind.home
    /// The largest number of people whose posts one step searches.
    private static let maxPeople = 250

    /// Starts the follow-up task, or restarts one that is in progress.
    ///
    /// - Parameter mark: The position after which posts are missing; nil for all.
    static func begin(
        for reader: UserID, after mark: PostPosition?, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        let task = kind.path / reader.key
        update.set(task / "since", to: .timestamp)
        update[task / "position"] = nil
        // A task in progress already goes back further.
        if try !snapshot.exists(task) { update[task / "cause"] = mark.map { .string($0.key.string) } }
    }

    /// The position at which a step begins.
    private enum Position {
        /// The posts of a person, before a position.
        case posts(of: UserID, before: TreeKey?)
        /// The next followee of the reader, by id.
        case people(after: TreeKey?)

        init?(_ text: String) {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 1 else { return nil }
            if parts.count > 2 {
                guard let author = UserID(parts[1]) else { return nil }
                self = .posts(of: author, before: parts[2].isEmpty ? nil : TreeKey(unchecked: parts[2]))
            } else {
                self = .people(after: UserID(parts[1])?.key)
            }
        }

        var text: String {
            switch self {
            case .posts(let author, let position): "posts \(author) \(position?.string ?? "")"
            case .people(let last): "people \(last?.string ?? "")"
            }
        }
    }

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let reader = UserID(task.subject.key.string) else { return nil }
        let mark: KeyRange.Bound = task.cause.map { .excluding(TreeKey(unchecked: $0)) } ?? .unbounded
        var position = task.position.flatMap { Position($0) } ?? .posts(of: reader, before: nil)
        // A post is written twice, and so is the mark of its author.
        var (writes, people) = (FollowUpTaskStep.maxWrites, Self.maxPeople)
        while writes >= 4, people > 0 {
            switch position {
            case .people(let last):
                people -= 1
                guard let next = try Self.followee(of: reader, after: last, in: snapshot) else { return nil }
                position = .posts(of: next, before: nil)
            case .posts(let author, let last):
                let range = KeyRange(lower: mark, upper: last.map { .excluding($0) } ?? .unbounded)
                let limit = (writes - 2) / 2
                let posts = try HomeFeedRows.posts(of: author, range, limit: limit, for: reader, in: snapshot)
                HomeFeedRows.add(posts, to: reader, &update)
                writes -= 2 * posts.count
                if last == nil, author != reader, let newest = posts.first {
                    try FolloweeMark.raise(to: newest, of: author, to: reader, in: snapshot, &update)
                    writes -= 2
                }
                position =
                    posts.count == limit
                    ? .posts(of: author, before: posts.last?.position.key)
                    : .people(after: author == reader ? nil : author.key)
            }
        }
        return position.text
    }

    /// Returns the reader's next followee; nil after the last.
    private static func followee(
        of reader: UserID, after last: TreeKey?, in snapshot: TreeSnapshot
    ) throws(TreeError) -> UserID? {
        // Clients can write these keys: invalid ids are skipped, and so is the reader.
        var range = last.map { KeyRange.after($0) } ?? .all
        while let key = try snapshot.keys(of: PeopleNodes.following(reader), range: range, limit: 1).first {
            if let followee = UserID(key.string), followee != reader { return followee }
            range = .after(key)
        }
        return nil
    }
}

/// Reads and writes the rows of home feeds.
enum HomeFeedRows {
    /// Returns the posts of an author, the newest first; empty if the reader does not follow the author.
    static func posts(
        of author: UserID, _ range: KeyRange, limit: Int, for reader: UserID, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [ListedPost] {
        if author != reader {
            guard try snapshot.exists(PeopleNodes.following(reader) / author.key) else { return [] }
        }
        return try snapshot.children(
            of: PostNodes.publishedBy(author), range: range, order: .descending, limit: limit
        ).compactMap { ListedPost($0) }
    }

    /// Adds posts to a feed, in both forms.
    static func add(_ posts: [ListedPost], to reader: UserID, _ update: inout MultiPathUpdate) {
        for post in posts {
            update[FeedNodes.home(reader) / post.position.key] = .string(post.id.string)
            update[FeedNodes.entry(reader) / post.id] = true
        }
    }
}
