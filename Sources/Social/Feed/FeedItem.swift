import Model
package import Tree

/// A post in a feed, with what stands around it.
package struct FeedItem: Sendable {
    package let id: TreeKey
    /// The record at `posts/{id}`, or of a post for audiences the copy of it.
    package let record: TreeValue
    /// What the post is made of: readers of a feed choose a cell by it, and pass over kinds that they do not know.
    package let kind: String
    /// The numbers of likes and comments; nil where they are not shown.
    package let counts: (likes: Int64, comments: Int64)?
    /// Whether the viewer likes it; nil for nobody in particular, and where that is not shown.
    package let isLiked: Bool?
    /// The first comments; none where they are not shown.
    package let comments: [Comment]

    init(
        _ post: PostPage.Item, _ view: FeedView, _ blocks: inout BlockedPeople, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        id = post.id
        record = post.record
        kind = record["kind"]?.stringValue ?? Self.kind(of: record)
        if view.showsCounts {
            let stats = try snapshot.get(ReactionNodes.stats(post.id))
            counts = (stats?["likes"]?.integerValue ?? 0, stats?["comments"]?.integerValue ?? 0)
        } else {
            counts = nil
        }
        if view.showsLikes, let viewer = view.viewer {
            isLiked = try snapshot.exists(ReactionNodes.like(post.id, viewer.key))
        } else {
            isLiked = nil
        }
        comments = view.showsComments ? try Self.comments(of: post.id, &blocks, in: snapshot) : []
    }

    /// What a post is made of that does not say so.
    private static func kind(of record: TreeValue) -> String {
        guard record["photos"] != nil || record["full_url"] != nil else { return "text" }
        return record["text"]?.stringValue?.isEmpty == false ? "photo_text" : "photo"
    }

    /// The number of comments that a feed shows with a post.
    private static let commentCount = 2
    /// The number of comments that are looked at to find those.
    private static let lookedAtCount = 10

    private static func comments(
        of post: TreeKey, _ blocks: inout BlockedPeople, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [Comment] {
        var range = KeyRange.all
        var comments: [Comment] = []
        // Mostly the first ones can be shown: those that cannot be are written by clients, or by who is blocked.
        for limit in [commentCount, lookedAtCount - commentCount] {
            let rows = try snapshot.children(of: ReactionNodes.comment(post), range: range, limit: limit)
            for row in rows where comments.count < commentCount {
                guard let comment = Comment(row.key, of: post, row.value), let author = UserID(comment.author),
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
