/// The nodes of notifications and announcements.
package enum NotificationNodes {
    package static let notification = TreeNode(
        "notifications/{uid}/{notification}", .derived,
        "what somebody is told of; whoever has read it removes `unread`", record: "NewNotification")
    package static let unread = TreeNode(
        "unread/{uid}", .derived, "the number of somebody's notifications that are unread; not there while it is 0")
    package static let device = TreeNode(
        "notification_tokens/{uid}/{token}", .clients, "the tokens of somebody's devices: `true`",
        record: "DeviceTokens",
        unaudited: "clients write them, and nothing follows from them")
    package static let announcement = TreeNode(
        "announcements/{announcement}", .service, "what everybody is told of", record: "Announcements",
        unaudited: "nothing is wrong with it that could be told")

    // MARK: For the service

    package static let notedLike = TreeNode(
        "noticed/likes/{post}/{actor}", in: .social, .derived, "the notification that a like has made",
        record: "NotificationRecord", unaudited: reason)
    package static let notedFollow = TreeNode(
        "noticed/follows/{followee}/{follower}", in: .social, .derived, "the notification that a follow has made",
        record: "NotificationRecord", unaudited: reason)
    package static let notedComment = TreeNode(
        "noticed/comments/{post}/{comment}/{recipient}", in: .social, .derived,
        "the notifications that a comment has made", record: "NotificationRecord", unaudited: reason)
    package static let notedPost = TreeNode(
        "noticed/posts/{post}/{recipient}", in: .social, .derived, "the notifications that a post has made",
        record: "NotificationRecord", unaudited: reason)
    package static let notedLetter = TreeNode(
        "noticed/letters/{announcement}/{recipient}", in: .social, .derived,
        "the notifications of an announcement to a few: the ids", unaudited: reason)
    package static let withdrawn = TreeNode(
        "noticed/withdrawn/{time}", in: .social, .derived,
        "the records of likes and follows that were taken back, in the order in which they were",
        record: "WithdrawnNotification", unaudited: reason)
    package static let letter = TreeNode(
        "letters/{announcement}", in: .social, .service,
        "an announcement to a few: `text`, `title`, `author`, `timestamp`, and `to`, the recipients, each `true`",
        record: "Announcements", unaudited: "nothing is wrong with it that could be told")
    package static let count = TreeNode(
        "notification_counts/{uid}", in: .social, .derived, "the number of somebody's notifications, read or not")
    package static let unreadID = TreeNode(
        "unread/{uid}/{notification}", in: .social, .derived, "somebody's unread notifications: `true`")
    package static let announcementInOrder = TreeNode(
        "announcement_order/{position}", in: .social, .derived,
        "the announcements by their positions: when each appeared, and behind a space its id",
        record: "AnnouncementEntry", unaudited: "nothing follows from it")
    package static let announcementPosition = TreeNode(
        "announcement_positions/{announcement}", in: .social, .derived, "the position of an announcement",
        unaudited: "nothing follows from it")
    package static let announcementsRead = TreeNode(
        "announcements_read/{uid}", in: .social, .service,
        "what somebody has read of the announcements: `mark`, the position up to which all, and `ids`, those beyond, each `true`",
        record: "AnnouncementInbox", unaudited: "nothing follows from it")

    private static let reason = "what is lost of it keeps no notification, and brings at most one again"

    package static let all = [
        notification, unread, device, announcement, notedLike, notedFollow, notedComment, notedPost, notedLetter,
        withdrawn,
        letter, count, unreadID, announcementInOrder, announcementPosition, announcementsRead,
    ]
}
