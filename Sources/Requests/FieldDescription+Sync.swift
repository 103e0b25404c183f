extension FieldDescription {
    /// The words for the times of documents and the members in them.
    static let copies: [String: String] = [
        "member_times": "The times of the memberships, by the ids of the members.",
        "quota_created": "The time at which the quota was set.",
        "quota_updated": "The time of the last change of the quota.",
        "updated": "The time of the last change.",
    ]

    /// The words for the fields of differences between two states of a reader's copy, by schema and field.
    static let sync: [String: String] = [
        "Sync.audiences": "The reader's memberships; absent without a change.",
        "Sync.counts": "The numbers of posts that are otherwise unchanged; absent without a change.",
        "Sync.feed": "The home feed; absent without a change.",
        "Sync.more": "Whether there may be more at once.",
        "Sync.next": "The position after this difference; the next request gives it as `since`.",
        "Sync.notifications": "The notifications, and the announcements among them; absent without a change.",
        "Sync.posts": "The posts that the request names; absent without a change.",
        "Sync.stories": "The posts of the reader's audiences; absent without a change.",
        "Sync.uploads": "The reader's own uploads; absent without a change.",
        "SyncAudiences.audiences": "The audiences that are new or have changed.",
        "SyncAudiences.removed": "The ids of audiences that the reader is no longer a member of.",
        "SyncAudiences.reset": "Whether these replace the list.",
        "SyncCounts.comments": "The number of comments; absent if the reader may not read it.",
        "SyncCounts.likes": "The number of likes; absent if the reader may not read it.",
        "SyncNotifications.notifications": "The notifications that are new or have changed.",
        "SyncNotifications.removed": "The ids of notifications that no longer exist.",
        "SyncNotifications.reset": "Whether these replace the list.",
        "SyncNotifications.unread": "The number of all unread notifications.",
        "SyncPosts.complete": "False if older posts are still being added; otherwise absent.",
        "SyncPosts.left": "The ids of people whose posts are no longer in the list.",
        "SyncPosts.posts": "The posts that are new or have changed.",
        "SyncPosts.removed": "The ids of posts that are no longer in the list.",
        "SyncPosts.reset": "Whether these, the newest ones, replace the list.",
        "SyncUploads.reset": "Whether these are all unfinished uploads.",
        "SyncUploads.uploads": "The uploads that are new or have changed.",
    ]
}
