import Model
import Tree

/// A home feed in one snapshot of the tree: its stored posts, and the missing ones.
struct HomeFeedPosts: PostList {
    private let written: StoredPostList
    var times: TreeNode { written.times }
    /// The missing posts; nil if the page begins too far back to contain any of them, and for a reader who does not
    /// exist.
    let missing: NewPosts?
    /// Whether the feed has never been read.
    let isFirstReading: Bool
    /// Whether a follow-up task is adding posts to it.
    let hasTask: Bool

    /// - Parameter cursor: The position before which a page begins; nil for the newest post.
    init(
        of reader: UserID, before cursor: PostPosition?, _ bounds: FeedBounds, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        written = StoredPostList(FeedNodes.home(reader))
        let mark = try FeedSync.mark(of: reader, in: snapshot)
        isFirstReading = mark == nil
        hasTask = try PendingFollowUpTask.first(for: reader, in: snapshot) != nil
        if let cursor, let mark, cursor <= mark {
            missing = nil
        } else {
            let isThere = try snapshot.exists(PeopleNodes.person(reader))
            missing = try isThere ? NewPosts(for: reader, before: cursor, bounds, in: snapshot) : nil
        }
    }

    func rows(in range: KeyRange, limit: Int, from snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        let rows = try written.rows(in: range, limit: limit, from: snapshot)
        let new = missing?.posts.filter { range.contains($0.position.key) }.map(\.homeRow) ?? []
        guard !new.isEmpty else { return rows }
        // A follow-up task may have written some of the posts after the mark.
        var all: [TreeChild] = []
        for row in (new + rows).sorted(by: { $0.key > $1.key }) where row.key != all.last?.key { all.append(row) }
        return Array(all.prefix(limit))
    }

    func record(of post: ListedPost, from snapshot: TreeSnapshot) throws(TreeError) -> TreeValue? {
        try written.record(of: post, from: snapshot)
    }
}

extension ListedPost {
    /// The row of the post in a home feed, with its author.
    fileprivate var homeRow: TreeChild {
        TreeChild(key: position.key, value: .string(author.map { "\(id)/\($0)" } ?? id.string))
    }
}

extension KeyRange {
    fileprivate func contains(_ key: TreeKey) -> Bool {
        let isAbove =
            switch lower {
            case .unbounded: true
            case .including(let bound): key >= bound
            case .excluding(let bound): key > bound
            }
        let isBelow =
            switch upper {
            case .unbounded: true
            case .including(let bound): key <= bound
            case .excluding(let bound): key < bound
            }
        return isAbove && isBelow
    }
}
