/// The nodes of notifications and announcements.
package enum NotificationNodes {
    package static let notification = TreeNode(
        "notifications/{uid}/{notification}", .derived,
        "a person's notifications; the reader removes `unread`", record: "NewNotification")
    package static let unread = TreeNode(
        "unread/{uid}", .derived, "the number of a person's unread notifications; absent while it is 0")
    package static let device = TreeNode(
        "notification_tokens/{uid}/{token}", .clients, "the tokens of a person's devices: `true`",
        record: "DeviceTokens",
        unaudited: "clients write them, and nothing is derived from them")
    package static let announcement = TreeNode(
        "announcements/{announcement}", .service, "an announcement to everybody", record: "Announcements",
        unaudited: "there is nothing to compare it with")

    // MARK: For the service

    package static let notedLike = TreeNode(
        "noticed/likes/{post}/{actor}", in: .social, .derived, "the notification of a like",
        record: "NotificationRecord", unaudited: reason)
    package static let notedFollow = TreeNode(
        "noticed/follows/{followee}/{follower}", in: .social, .derived, "the notification of a follow",
        record: "NotificationRecord", unaudited: reason)
    package static let notedComment = TreeNode(
        "noticed/comments/{post}/{comment}/{recipient}", in: .social, .derived,
        "the notifications of a comment", record: "NotificationRecord", unaudited: reason)
    package static let notedPost = TreeNode(
        "noticed/posts/{post}/{recipient}", in: .social, .derived, "the notifications of a post",
        record: "NotificationRecord", unaudited: reason)
    package static let notedLetter = TreeNode(
        "noticed/letters/{announcement}/{recipient}", in: .social, .derived,
        "the notifications of an announcement to some people: the ids", unaudited: reason)
    package static let withdrawn = TreeNode(
        "noticed/withdrawn/{time}", in: .social, .derived,
        "the records of removed likes and follows, in the order of their removal",
        record: "WithdrawnNotification", unaudited: reason)
    package static let letter = TreeNode(
        "letters/{announcement}", in: .social, .service,
        "an announcement to some people: `text`, `title`, `author`, `timestamp`, and `to`, the recipients, each `true`",
        record: "Announcements", unaudited: "there is nothing to compare it with")
    package static let count = TreeNode(
        "notification_counts/{uid}", in: .social, .derived, "the number of a person's notifications, read or not")
    package static let unreadID = TreeNode(
        "unread/{uid}/{notification}", in: .social, .derived, "a person's unread notifications: `true`")
    package static let announcementInOrder = TreeNode(
        "announcement_order/{position}", in: .social, .derived,
        "the announcements by their positions: the time at which each appeared, and its id after a space",
        record: "AnnouncementEntry", unaudited: "nothing is derived from it")
    package static let announcementPosition = TreeNode(
        "announcement_positions/{announcement}", in: .social, .derived, "the position of an announcement",
        unaudited: "nothing is derived from it")
    package static let announcementsRead = TreeNode(
        "announcements_read/{uid}", in: .social, .service,
        "the announcements that a person has read: all up to the position `mark`, and those in `ids`, each `true`",
        record: "AnnouncementInbox", unaudited: "nothing is derived from it")

    private static let reason = "its loss suppresses no notification, and repeats at most one"

    package static let all = [
        notification, unread, device, announcement, notedLike, notedFollow, notedComment, notedPost, notedLetter,
        withdrawn,
        letter, count, unreadID, announcementInOrder, announcementPosition, announcementsRead,
    ]
}
