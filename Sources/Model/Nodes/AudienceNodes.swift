/// The nodes of audiences, and of posts for them.
package enum AudienceNodes {
    package static let member = TreeNode(
        "audiences/{audience}/members/{uid}", .clients,
        "the role of a member of an audience: `owner`, `poster` or `reader`", record: "AudienceRole")
    package static let audience = TreeNode(
        "audiences/{audience}", .clients, "an audience: `name`, `kind` and `members`", record: "Audience",
        fields: ["name", "kind", "members"])
    package static let membership = TreeNode(
        "memberships/{uid}/{audience}", .derived,
        "the audiences that a person is a member of: the other side of `members`",
        record: "AudienceRole")
    package static let post = TreeNode(
        "audience_posts/{post}", .clients,
        "a post for audiences: as at `posts/`, with `audiences/{audience}`, each `true`",
        record: "Post",
        fields: PostField.allCases.filter { [.clients, .clientsForAudiences].contains($0.writer) && $0 != .mentions }
            .map(\.rawValue))
    package static let story = TreeNode(
        "stories/{audience}/{post}", .derived, "the copy of a post for the members of an audience",
        record: "AudienceFeedOrder", indexes: ["published", "timestamp"])

    // MARK: For the service

    package static let owner = TreeNode(
        "owners/{audience}/{uid}", in: .social, .derived, "the owners of an audience: `true`")
    package static let published = TreeNode(
        "stories/{audience}/{position}", in: .social, .derived, "the posts of an audience, by their positions: the ids",
        record: "ListedPost", unaudited: "it is derived from the posts for audiences, which are checked")
    package static let positions = TreeNode(
        "story_positions/{post}/{audience}", in: .social, .derived, "the position that a post has in a story",
        record: "PostPosition", unaudited: "it is derived from the posts for audiences, which are checked")
    package static let postBy = TreeNode(
        "audience_posts/{uid}/{post}", in: .social, .derived,
        "the posts for audiences that a person has written: `true`",
        unaudited: "it is derived from the posts for audiences, which are checked")
    package static let used = TreeNode(
        "used_audiences/{audience}", in: .social, .derived,
        "the mark of a deleted audience, whose id is never used again: `true`",
        record: "UsedAudienceID", unaudited: "there is nothing left to compare it with")
    package static let restrictedMedia = TreeNode(
        "restricted_media/{post}/{uid}", in: .social, .derived,
        "the owner of photos that belong, or belonged, to a post for audiences: `true`, until the files are deleted",
        unaudited: "it outlives its cause")
    package static let day = TreeNode(
        "audience_post_days/{day}", in: .social, .derived, "the number of posts for audiences on a day",
        record: "PostDays")
    package static let dayOf = TreeNode(
        "audience_post_days_by/{uid}/{day}", in: .social, .derived,
        "the number of a person's posts for audiences on a day",
        record: "PostDays")

    package static let all = [
        member, audience, membership, post, story, owner, published, positions, postBy, used, restrictedMedia, day,
        dayOf,
    ]
}
