import Model
package import Tree

/// The derivations of social data. They run in the commit of their facts, whether a route, a client of the database or
/// an import writes these.
package enum SocialDerivations {
    /// The counters: the counted nodes, and the path of the number.
    private static let numbers: [(counted: TreePattern, number: TreePattern)] = [
        (ReactionNodes.like.pattern, TreePattern(ReactionNodes.stats.path / "likes")),
        (ReactionNodes.comment.pattern, TreePattern(ReactionNodes.stats.path / "comments")),
        (PeopleNodes.ownPost.pattern, TreePattern(PeopleNodes.stats.path / "posts")),
        (PeopleNodes.following.pattern, TreePattern(PeopleNodes.stats.path / "following")),
        (PeopleNodes.follower.pattern, TreePattern(PeopleNodes.stats.path / "followers")),
    ]

    static let counters = numbers.map { NodeCounter(of: $0.counted, at: $0.number) }

    /// The pairs of paths whose nodes mirror each other, with swapped keys.
    static let links = [
        // Blocks come first, so that a follow in the update that ends a block creates a notification.
        ReverseLink(of: PeopleNodes.blocking.path, at: PeopleNodes.blocked.path),
        ReverseLink(of: PeopleNodes.blocked.path, at: PeopleNodes.blocking.path),
        ReverseLink(of: PeopleNodes.following.path, at: PeopleNodes.follower.path),
        ReverseLink(of: PeopleNodes.follower.path, at: PeopleNodes.following.path),
        ReverseLink(of: ReactionNodes.like.path, at: ReactionNodes.liked.path, isDated: true),
    ]

    /// The derivations of notifications, including the order of announcements, which shares their numbering.
    static let notices: [any Derivation] = [
        BlockedNotifications(of: PeopleNodes.blocking.path), BlockedNotifications(of: PeopleNodes.blocked.path),
        LikeNotifications(), CommentNotifications(), PostNotifications(), FollowNotifications.ofFollowing,
        FollowNotifications.ofFollowers,
        DirectAnnouncementNotifications(),
        AnnouncementOrder(),
    ]

    /// The counter of people's notifications; ``NotificationLimit`` also updates it.
    static let notificationCounter = NodeCounter(
        of: NotificationNodes.notification.pattern, at: NotificationNodes.count.pattern)

    /// The path of the numbers of unread notifications.
    static let unread = NotificationNodes.unread.pattern

    /// All derivations, in strata: each stratum sees the writes of those before it.
    package static let strata = strata(maxNotifications: NotificationLimit.maxNotifications)

    /// - Parameter maxNotifications: The number of notifications that are kept for each person.
    static func strata(maxNotifications: Int) -> [[any Derivation]] {
        [
            // These undo what others write to derived data or to private data in public records, and end follows
            // between people of whom one blocks the other.
            numbers.map { Restored($0.number) } + [Restored(unread)] + SearchKeys.places.map { Restored($0) }
                + [BlockedFollows(of: PeopleNodes.blocking.path), BlockedFollows(of: PeopleNodes.blocked.path)]
                + [DeviceTokens(), OwnPosts(), Restored(Memberships.memberships), RestoredAudienceFeeds()],
            // The other sides of links, and notifications: they follow from the written facts, not from derived data.
            links + notices
                + [SearchKeys(), NameIndex(), SearchPrivacy(), CommentIndex(), PostEntries(), HashtagIndex()]
                + [AudienceOwners(), EmptyAudiences(), CommentFlagsEnd()],
            // Counters of both sides, and follow-up tasks. Posts for audiences come before names, so that a rename in
            // the same update finds the post.
            counters + PostDays.all + [AudiencePostIndex(), DeletionCause(), FollowCause()]
                + [PostFlagsEnd(of: PostNodes.post.path), PostFlagsEnd(of: AudienceNodes.post.path)]
                + [
                    RenameCause(of: PeopleNodes.person.path / "full_name"),
                    RenameCause(of: PeopleNodes.person.path / "profile_picture"),
                ]
                + [notificationCounter, NotificationDeliveries(), AnnouncementDeliveries()]
                + [AudienceFeedTime(), LastOwner()],
            // These run after the follow-up tasks, which need the old position of a post, and after the counter of
            // notifications.
            [PostOrder(), AudienceFeedOrder(), NotificationLimit(maxNotifications), AudienceHeir()]
                + [FlagIndex.ofPosts, FlagIndex.ofComments],
            // Audiences are deleted from posts, unread notifications are counted, and times are noted, when the rest is
            // complete.
            [AudienceDeletionCause(), UnreadIndex(), NodeCounter(of: TreePattern(UnreadIndex.unread), at: unread)]
                + [Memberships()] + LifeTimes.all + FieldTimes.all + [AudiencePostTimes()],
        ]
    }

    /// The constraints of social data.
    package static let constraints: [any Constraint] = [UsedAudienceID()]

    /// The version of the derivations; increase it with each change that requires existing data to be processed again.
    package static let version: Int64 = 8
}
