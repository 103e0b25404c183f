/// The nodes of posts, and of the order in which they were published.
package enum PostNodes {
    package static let post = TreeNode(
        "posts/{post}", .clients, "a post for everybody", record: "Post",
        fields: PostField.allCases.filter { $0.writer == .clients }.map(\.rawValue),
        indexes: ["author/uid", "timestamp"])
    package static let tagged = TreeNode(
        "hashtags/{tag}/{post}", .derived, "the posts that have a hashtag: `true`", record: "Hashtags")

    // MARK: The order of publication

    package static let published = TreeNode(
        "all/{position}", in: .social, .derived,
        "all values at `posts/`, by their positions: the id, and the author after a slash", record: "ListedPost")
    package static let publishedBy = TreeNode(
        "published/{uid}/{position}", in: .social, .derived, "the posts of an author, by their positions: the ids",
        record: "ListedPost")
    package static let taggedInOrder = TreeNode(
        "tagged/{tag}/{position}", in: .social, .derived, "the posts that have a hashtag, by their positions: the ids",
        record: "ListedPost")
    package static let position = TreeNode(
        "positions/{post}", in: .social, .derived,
        "the position, the author and the hashtags of a post, separated by spaces",
        record: "PublicationEntry")

    // MARK: Numbers

    package static let day = TreeNode(
        "post_days/{day}", in: .social, .derived,
        "the number of posts for everybody on a day, a number of days since the epoch", record: "PostDays")
    package static let dayOf = TreeNode(
        "post_days_by/{uid}/{day}", in: .social, .derived, "the number of a person's posts for everybody on a day",
        record: "PostDays")

    package static let all = [post, tagged, published, publishedBy, taggedInOrder, position, day, dayOf]
}
