import Model
package import Tree

/// What follows from what people write, in the same commit, whoever writes it: a route, a client of the database, an
/// import.
package enum SocialDerivations {
    /// The numbers that are kept: what is counted, and where its number stands.
    private static let numbers: [(counted: TreePattern, number: TreePattern)] = [
        (ReactionNodes.like.pattern, TreePattern(ReactionNodes.stats.path / "likes")),
        (ReactionNodes.comment.pattern, TreePattern(ReactionNodes.stats.path / "comments")),
        (PeopleNodes.ownPost.pattern, TreePattern(PeopleNodes.stats.path / "posts")),
        (PeopleNodes.following.pattern, TreePattern(PeopleNodes.stats.path / "following")),
        (PeopleNodes.follower.pattern, TreePattern(PeopleNodes.stats.path / "followers")),
    ]

    static let counters = numbers.map { NodeCounter(of: $0.counted, at: $0.number) }

    /// The pairs of places of which each has what the other has, with its keys the other way round.
    static let links = [
        // Blocks first: who follows in the update that ends one is told of.
        ReverseLink(of: PeopleNodes.blocking.path, at: PeopleNodes.blocked.path),
        ReverseLink(of: PeopleNodes.blocked.path, at: PeopleNodes.blocking.path),
        ReverseLink(of: PeopleNodes.following.path, at: PeopleNodes.follower.path),
        ReverseLink(of: PeopleNodes.follower.path, at: PeopleNodes.following.path),
        ReverseLink(of: ReactionNodes.like.path, at: ReactionNodes.liked.path),
    ]

    /// What people are told of. The order of announcements is among it, as it takes part in the same numbering.
    static let notices: [any Derivation] = [
        BlockedNotifications(of: PeopleNodes.blocking.path), BlockedNotifications(of: PeopleNodes.blocked.path),
        LikeNotifications(), CommentNotifications(), PostNotifications(), FollowNotifications.ofFollowing,
        FollowNotifications.ofFollowers,
        DirectAnnouncementNotifications(),
        AnnouncementOrder(),
    ]

    /// The numbers of people's notifications; ``NotificationLimit`` keeps them, too.
    static let notificationCounter = NodeCounter(
        of: NotificationNodes.notification.pattern, at: NotificationNodes.count.pattern)

    /// The numbers of unread notifications.
    static let unread = NotificationNodes.unread.pattern

    /// All of them, in strata: each sees what those before it have written.
    package static let strata = strata(maxNotifications: NotificationLimit.maxNotifications)

    /// - Parameter maxNotifications: The number of notifications that are kept of one person.
    static func strata(maxNotifications: Int) -> [[any Derivation]] {
        [
            // What others write where only derivations may, or where everybody reads what is the person's own, and follows
            // between people of whom one blocks the other.
            numbers.map { Restored($0.number) } + [Restored(unread)] + SearchKeys.places.map { Restored($0) }
                + [BlockedFollows(of: PeopleNodes.blocking.path), BlockedFollows(of: PeopleNodes.blocked.path)]
                + [DeviceTokens(), OwnPosts(), Restored(Memberships.memberships), RestoredAudienceFeeds()],
            // The other sides, and what people are told of: of what was written, and not of what follows from that.
            links + notices
                + [SearchKeys(), NameIndex(), SearchPrivacy(), CommentIndex(), PostEntries(), HashtagIndex()]
                + [AudienceOwners(), EmptyAudiences(), CommentFlagsEnd()],
            // What counts both sides, and what is to be done about them. Posts for audiences come before names, so that the post
            // of an update that brings a name, too, is found.
            counters + PostDays.all + [AudiencePostIndex(), DeletionCause(), FollowCause()]
                + [PostFlagsEnd(of: PostNodes.post.path), PostFlagsEnd(of: AudienceNodes.post.path)]
                + [
                    RenameCause(of: PeopleNodes.person.path / "full_name"),
                    RenameCause(of: PeopleNodes.person.path / "profile_picture"),
                ]
                + [notificationCounter, NotificationDeliveries(), AnnouncementDeliveries()]
                + [AudienceFeedTime(), LastOwner()],
            // After the follow-up tasks, which have to know where a post was, and what counts notifications.
            [PostOrder(), AudienceFeedOrder(), NotificationLimit(maxNotifications), AudienceHeir()]
                + [FlagIndex.ofPosts, FlagIndex.ofComments],
            // What posts are left when an audience goes, and what is unread of the notifications that are left.
            [AudienceDeletionCause(), UnreadIndex(), NodeCounter(of: TreePattern(UnreadIndex.unread), at: unread)]
                + [Memberships()],
        ]
    }

    /// The constraints of social data.
    package static let constraints: [any Constraint] = [UsedAudienceID()]

    /// To be raised with every change after which data that are there already have to be gone through again.
    package static let version: Int64 = 7
}
