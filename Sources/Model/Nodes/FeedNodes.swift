/// The nodes of home feeds.
package enum FeedNodes {
    package static let entry = TreeNode("feed/{uid}/{post}", .clients, "what somebody sees on the home screen: `true`")

    // MARK: For the service

    package static let home = TreeNode(
        "home/{uid}/{position}", in: .social, .service, "the posts of a home feed, by their positions: the ids",
        record: "ListedPost", unaudited: "a reading brings what it lacks")
    package static let homeMark = TreeNode(
        "home_marks/{uid}", in: .social, .service, "the position up to which a home feed has all that it should have",
        record: "PostPosition", unaudited: "a reading brings what it lacks")
    package static let withdrawn = TreeNode(
        "withdrawn/{uid}/{position}", in: .social, .derived,
        "the posts of somebody that are gone and may still be in feeds, by their positions: the ids",
        record: "ListedPost", unaudited: "nothing is left by which it could be told")

    package static let all = [entry, home, homeMark, withdrawn]
}
