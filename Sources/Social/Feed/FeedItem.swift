package import Model
package import Tree

/// A post in a feed, with its counts and comments.
package struct FeedItem: Sendable {
    package let id: TreeKey
    /// The record at `posts/{id}`, or of a post for audiences its copy.
    package let record: TreeValue
    /// The position in the list; nil where the list is not in the order of publication.
    package let position: PostPosition?
    package let times: EntityTimes
    /// The kind of the post's content: readers of a feed choose a cell by it, and skip unknown kinds.
    package let kind: String
    /// The numbers of likes and comments; nil if they are not shown.
    package let counts: (likes: Int64, comments: Int64)?
    /// Whether the viewer likes it; nil without a viewer, and if likes are not shown.
    package let isLiked: Bool?
    /// The first comments; empty if they are not shown.
    package let comments: [Comment]

    init(
        _ post: PostPage.Item, _ view: FeedView, _ blocks: inout BlockedPeople, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        id = post.id
        (record, position, times) = (post.record, post.position, post.times)
        kind = record["kind"]?.stringValue ?? Self.kind(of: record)
        counts = try Self.counts(of: post.id, view, in: snapshot)
        isLiked = try Self.isLiked(post.id, view, in: snapshot)
        comments = view.showsComments ? try Self.comments(of: post.id, &blocks, in: snapshot) : []
    }

    /// Returns the numbers of likes and comments of a post; nil if they are not shown.
    static func counts(
        of post: TreeKey, _ view: FeedView, in snapshot: TreeSnapshot
    ) throws(TreeError) -> (likes: Int64, comments: Int64)? {
        guard view.showsCounts else { return nil }
        let stats = try snapshot.get(ReactionNodes.stats(post))
        return (stats?["likes"]?.integerValue ?? 0, stats?["comments"]?.integerValue ?? 0)
    }

    /// Whether the viewer likes a post; nil without a viewer, and if likes are not shown.
    static func isLiked(_ post: TreeKey, _ view: FeedView, in snapshot: TreeSnapshot) throws(TreeError) -> Bool? {
        guard view.showsLikes, let viewer = view.viewer else { return nil }
        return try snapshot.exists(ReactionNodes.like(post, viewer.key))
    }

    /// Returns the kind of a post whose record does not contain it.
    private static func kind(of record: TreeValue) -> String {
        guard record["photos"] != nil || record["full_url"] != nil else { return "text" }
        return record["text"]?.stringValue?.isEmpty == false ? "photo_text" : "photo"
    }

    /// The number of comments that a feed shows for a post.
    private static let commentCount = 2
    /// The number of comments that are read to find those.
    private static let lookedAtCount = 10

    private static func comments(
        of post: TreeKey, _ blocks: inout BlockedPeople, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [Comment] {
        var range = KeyRange.all
        var comments: [Comment] = []
        // Usually the first ones can be shown; others are malformed, or their authors are blocked.
        for limit in [commentCount, lookedAtCount - commentCount] {
            let rows = try snapshot.children(of: ReactionNodes.comment(post), range: range, limit: limit)
            let times = try EntityTimes.stored(below: TimeNodes.comment(post), of: rows.map(\.key), in: snapshot)
            for row in rows where comments.count < commentCount {
                guard let comment = Comment(row.key, of: post, row.value, times[row.key]),
                    let author = UserID(comment.author),
                    try !blocks.contain(author, in: snapshot)
                else { continue }
                comments.append(comment)
            }
            guard comments.count < commentCount, rows.count == limit, let last = rows.last else { break }
            range = .after(last.key)
        }
        return comments
    }
}
