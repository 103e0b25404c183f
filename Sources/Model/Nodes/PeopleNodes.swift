/// The nodes of people and of the links between them.
package enum PeopleNodes {
    package static let person = TreeNode(
        "people/{uid}", .clients,
        "a profile in FriendlyPix's fields: `full_name`, `profile_picture`, `role`, `bio`; and `_search_index`, which the service keeps",
        record: "Person",
        fields: [
            "full_name", "profile_picture", "displayName", "photoUrl", "_search_index", "posts", "following", "role",
            "bio",
            "notificationEnabled", "notificationTokens",
        ],
        indexes: ["_search_index/full_name", "_search_index/reversed_full_name"])
    package static let ownPost = TreeNode("people/{uid}/posts/{post}", .clients, "a person's own posts: `true`")
    package static let following = TreeNode(
        "people/{uid}/following/{followee}", .clients,
        "the people that a person follows: `true`, or the id of the followee's last post in the follower's feed")
    package static let follower = TreeNode(
        "followers/{followee}/{uid}", .clients, "the followers of a person: the other side of `following`")
    package static let blocking = TreeNode(
        "blocking/{uid}/{other}", .clients, "the people that a person has blocked: `true`")
    package static let blocked = TreeNode(
        "blocked/{other}/{uid}", .clients, "the people who have blocked a person: the other side of `blocking`")
    package static let stats = TreeNode(
        "stats/people/{uid}", .derived, "the numbers of `posts`, `followers` and `following`")
    package static let privacy = TreeNode(
        "privacy/{uid}", .clients,
        "a person's consents: `data_processing`, `content` and `social`, each true or false",
        record: "Privacy", fields: ["data_processing", "content", "social"],
        unaudited: "only the search index is derived from it, which is checked itself")
    package static let admin = TreeNode(
        "admins/{uid}", .clients,
        "the people who may use FriendlyPix's console; written by admins, and not read by the service",
        unaudited: "the service does not use it")

    // MARK: For the service

    package static let name = TreeNode(
        "names/{form}", in: .social, .derived, "the index of people by the forms of their names", record: "NameIndex")
    package static let deletion = TreeNode(
        "deletions/{uid}", in: .social, .service, "the state of a person's deletion", record: "PersonDeletion",
        unaudited: "a note for requesters, which is deleted by itself")

    package static let all = [
        ownPost, following, person, follower, blocking, blocked, stats, privacy, admin, name, deletion,
    ]
}
