/// The group of an operation in the description of the service. Generators make a module or a class of each.
package enum EndpointTag: String, CaseIterable, Sendable {
    case posts, uploads, media, people, audiences, comments, likes, notifications, moderation, accounts, database
    case operations, service, syndication

    package var details: String {
        switch self {
        case .posts: "Posts: lists of them, their events and their hashtags."
        case .uploads: "Photos and texts that become posts, in one request, in several, or as a draft."
        case .media: "The files of posts."
        case .people: "People: their profiles, pictures, follows, blocks, home feeds and consents."
        case .audiences: "Groups of people for whom posts are, and the posts for them."
        case .comments: "Comments on posts."
        case .likes: "The likes of posts."
        case .notifications: "Notifications, announcements, and the deliveries to people's devices."
        case .moderation: "Flags of users, and the decisions of admins about posts."
        case .accounts: "Accounts, as Firebase's SDKs use them; tokens, and the keys of admins."
        case .database: "The changes of the tree, and the rules for files."
        case .operations: "The work of operators: status, checks, backups, jobs over posts, failed files."
        case .service: "The state and the description of the service."
        case .syndication: "Feeds for readers, and posts in other sites."
        }
    }
}
