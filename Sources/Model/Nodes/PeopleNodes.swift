/// The nodes of people and of what is between them.
package enum PeopleNodes {
    package static let person = TreeNode(
        "people/{uid}", .clients,
        "a profile, by FriendlyPix's names: `full_name`, `profile_picture`, `role`, `bio`; and `_search_index`, which the service keeps",
        record: "Person",
        fields: [
            "full_name", "profile_picture", "displayName", "photoUrl", "_search_index", "posts", "following", "role",
            "bio",
            "notificationEnabled", "notificationTokens",
        ],
        indexes: ["_search_index/full_name", "_search_index/reversed_full_name"])
    package static let ownPost = TreeNode("people/{uid}/posts/{post}", .clients, "somebody's own posts: `true`")
    package static let following = TreeNode(
        "people/{uid}/following/{followee}", .clients,
        "whom somebody follows: `true`, or the id of the followee's last post that the follower's feed has")
    package static let follower = TreeNode(
        "followers/{followee}/{uid}", .clients, "who follows somebody: the other side of it")
    package static let blocking = TreeNode("blocking/{uid}/{other}", .clients, "whom somebody has blocked: `true`")
    package static let blocked = TreeNode(
        "blocked/{other}/{uid}", .clients, "who has blocked somebody: the other side of it")
    package static let stats = TreeNode(
        "stats/people/{uid}", .derived, "the numbers of `posts`, `followers` and `following`")
    package static let privacy = TreeNode(
        "privacy/{uid}", .clients,
        "what somebody has agreed to: `data_processing`, `content` and `social`, each true or false",
        record: "Privacy", fields: ["data_processing", "content", "social"],
        unaudited: "nothing follows from it but the search index, which is looked at itself")
    package static let admin = TreeNode(
        "admins/{uid}", .clients, "whom FriendlyPix's console lets in; written by admins, and read by nobody here",
        unaudited: "the service does not use it")

    // MARK: For the service

    package static let name = TreeNode(
        "names/{form}", in: .social, .derived, "the people by the forms of their names", record: "NameIndex")
    package static let deletion = TreeNode(
        "deletions/{uid}", in: .social, .service, "what is known of the deletion of a person", record: "PersonDeletion",
        unaudited: "a note for whoever asks, that goes by itself")

    package static let all = [
        ownPost, following, person, follower, blocking, blocked, stats, privacy, admin, name, deletion,
    ]
}
