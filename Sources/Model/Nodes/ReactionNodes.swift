/// The nodes of likes, comments and flags.
package enum ReactionNodes {
    package static let like = TreeNode(
        "likes/{post}/{uid}", .clients, "the likes of a post: their times, in milliseconds since the epoch",
        indexes: [".value"])
    package static let comment = TreeNode(
        "comments/{post}/{comment}", .clients, "a comment on a post", record: "Comment",
        fields: ["author", "text", "timestamp", "edited", "client_timestamp", "client_edited", "mentions"],
        indexes: ["author/uid"])
    package static let stats = TreeNode(
        "stats/posts/{post}", .derived, "the numbers of `likes` and `comments` of a post")
    package static let postFlag = TreeNode(
        "postFlags/{post}/{uid}", .clients, "the people who flag a post for admins: `true`")
    package static let commentFlag = TreeNode(
        "commentFlags/{post}/{comment}/{uid}", .clients, "the people who flag a comment for admins: `true`")

    // MARK: For the service

    package static let liked = TreeNode(
        "liked/{uid}/{post}", in: .social, .derived,
        "the posts that a person likes: the times of the likes, or `true` for older ones",
        record: "EntityTimes")
    package static let commented = TreeNode(
        "commented/{uid}/{post}/{comment}", in: .social, .derived, "the comments that a person has written: `true`")
    package static let flags = TreeNode(
        "flags/{kind}/{post}/{comment}", in: .social, .derived,
        "the state of the flags of a post (kind `posts`, comment `-`) or a comment (kind `comments`)",
        record: "FlagRecord")
    package static let newestFlag = TreeNode(
        "flags_new/{time}/{kind}/{post}/{comment}", in: .social, .derived,
        "the flagged posts and comments for admins, the last flagged first: `true`", record: "FlagSubject")
    package static let mostFlags = TreeNode(
        "flags_most/{count}/{kind}/{post}/{comment}", in: .social, .derived,
        "the same, the most flagged first", record: "FlagSubject")
    package static let flagged = TreeNode(
        "flagged/{uid}/{kind}/{post}/{comment}", in: .social, .derived,
        "the posts and comments that a person has flagged: `true`",
        record: "FlagSubject")

    package static let all = [
        like, comment, stats, postFlag, commentFlag, liked, commented, flags, newestFlag, mostFlags, flagged,
    ]
}
