/// The nodes of home feeds.
package enum FeedNodes {
    package static let entry = TreeNode("feed/{uid}/{post}", .clients, "the posts on a person's home screen: `true`")

    // MARK: For the service

    package static let home = TreeNode(
        "home/{uid}/{position}", in: .social, .service, "the posts of a home feed, by their positions: the ids",
        record: "ListedPost", unaudited: "a read adds what it lacks")
    package static let homeMark = TreeNode(
        "home_marks/{uid}", in: .social, .service, "the position up to which a home feed is complete",
        record: "PostPosition", unaudited: "a read adds what it lacks")
    package static let withdrawn = TreeNode(
        "withdrawn/{uid}/{position}", in: .social, .derived,
        "a person's removed posts that may still be in feeds, by their positions: the ids",
        record: "ListedPost", unaudited: "there is nothing left to compare it with")

    package static let all = [entry, home, homeMark, withdrawn]
}
