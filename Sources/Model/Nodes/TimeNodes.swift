/// The nodes of the times at which entities were created and last changed: ``EntityTimes``. They are beside the
/// entities, so that no client overwrites them and no listener receives a change twice.
package enum TimeNodes {
    package static let post = TreeNode(
        "times/posts/{post}", in: .social, .derived,
        "the times of a post for everybody: those of its creation and its last change",
        record: "EntityTimes")
    package static let audiencePost = TreeNode(
        "times/audience_posts/{post}", in: .social, .derived, "the times of a post for audiences",
        record: "EntityTimes")
    package static let comment = TreeNode(
        "times/comments/{post}/{comment}", in: .social, .derived, "the times of a comment", record: "EntityTimes")
    package static let person = TreeNode(
        "times/people/{uid}", in: .social, .derived, "the times of a person", record: "EntityTimes")
    package static let following = TreeNode(
        "times/following/{uid}/{followee}", in: .social, .derived, "the times of a follow", record: "EntityTimes")
    package static let blocking = TreeNode(
        "times/blocking/{uid}/{other}", in: .social, .derived, "the times of a block", record: "EntityTimes")
    package static let audience = TreeNode(
        "times/audiences/{audience}", in: .social, .derived, "the times of an audience", record: "EntityTimes")
    package static let member = TreeNode(
        "times/members/{audience}/{uid}", in: .social, .derived, "the times of a member's role in an audience",
        record: "EntityTimes")
    package static let notification = TreeNode(
        "times/notifications/{uid}/{notification}", in: .social, .derived,
        "the time of a notification's last change, such as its reading; absent before", record: "EntityTimes")
    package static let announcement = TreeNode(
        "times/announcements/{announcement}", in: .social, .derived, "the times of an announcement to everybody",
        record: "EntityTimes")
    package static let quota = TreeNode(
        "times/quotas/{uid}", in: .social, .derived, "the times of a user's own quota", record: "EntityTimes")

    package static let all = [
        post, audiencePost, comment, person, following, blocking, audience, member, notification, announcement, quota,
    ]
}
