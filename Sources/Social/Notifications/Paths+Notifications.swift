package import Posts
package import Tree

/// Where notifications and announcements stand, and what the service has to know of them.
extension Paths {
    // MARK: For clients

    /// The number of somebody's notifications that are unread; not there while it is 0. Announcements are not in it.
    package static func unread(_ uid: UserID) -> TreePath { "unread" / uid.key }

    /// The tokens of somebody's devices, each `true` (``DeviceTokens``).
    static func deviceTokens(_ uid: UserID) -> TreePath { "notification_tokens" / uid.key }

    /// What everybody is told of.
    package static let announcements: TreePath = "announcements"

    // MARK: For the service

    /// The notification that each like has made: `{post}/{actor}` (``NoticeRecord``).
    static let noticedLikes = TreePath(["noticed", "likes"], in: .social)

    /// The notification that each follow has made: `{followee}/{follower}` (``NoticeRecord``).
    static let noticedFollows = TreePath(["noticed", "follows"], in: .social)

    /// The notifications that each comment has made: `{post}/{comment}/{recipient}` (``NoticeRecord``).
    static let noticedComments = TreePath(["noticed", "comments"], in: .social)

    /// The notifications that each post has made: `{post}/{recipient}` (``NoticeRecord``).
    static let noticedPosts = TreePath(["noticed", "posts"], in: .social)

    /// The records of likes and follows that were taken back, in the order in which they were (``WithdrawnNotice``).
    static let withdrawnNotices = TreePath(["noticed", "withdrawn"], in: .social)

    /// The notifications of each announcement to a few: `{announcement}/{recipient}`, the ids.
    static let noticedLetters = TreePath(["noticed", "letters"], in: .social)

    /// Announcements to a few: `{id}` with `text`, `title`, `author`, `timestamp`, and `to`, the recipients, each `true`.
    static let letters = TreePath(["letters"], in: .social)

    /// The numbers of people's notifications, read or not.
    static let notificationCounts = TreePath(["notification_counts"], in: .social)

    /// The ids of people's unread notifications: `{uid}/{id}`, each `true`.
    static let unreadLists = TreePath(["unread"], in: .social)
    static func unreadIDs(_ uid: UserID) -> TreePath { unreadLists / uid.key }

    /// All announcements by ``NoticePosition``: the time at which each appeared, and behind a space its id.
    static let announcementOrder = TreePath(["announcement_order"], in: .social)

    /// The position of each announcement, by its id.
    static let announcementPositions = TreePath(["announcement_positions"], in: .social)

    /// What somebody has read of the announcements: `mark`, the position up to which all, and `ids`, the positions of
    /// those beyond, each `true`.
    static func announcementsRead(_ uid: UserID) -> TreePath { TreePath(["announcements_read", uid.key], in: .social) }
}
