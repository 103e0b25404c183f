package import Posts
package import Tree

/// Where people's doings stand that are no posts: what clients see, by FriendlyPix's names, and below it what is derived.
extension Paths {
    // MARK: What people write

    /// Whom somebody follows: each `true`, or the id of the followee's last post that the follower's feed has.
    package static func following(_ uid: UserID) -> TreePath { person(uid) / "following" }

    /// Who follows somebody: the other side of ``following(_:)``.
    package static func followers(_ uid: UserID) -> TreePath { "followers" / uid.key }

    /// Whom somebody has blocked, each `true`.
    package static func blocking(_ uid: UserID) -> TreePath { "blocking" / uid.key }

    /// Who has blocked somebody: the other side of ``blocking(_:)``.
    package static func blocked(_ uid: UserID) -> TreePath { "blocked" / uid.key }

    // MARK: What follows from it, for everybody to see

    /// What somebody is told of, by ``NoticePosition``: the newest ``NotificationLimit/maxNotifications``.
    package static func notifications(_ uid: UserID) -> TreePath { "notifications" / uid.key }

    /// The numbers of a post's likes and comments.
    package static func stats(_ id: PostID) -> TreePath { "stats" / "posts" / id.key }

    /// The numbers of a person's posts, followers and followees.
    package static func stats(_ uid: UserID) -> TreePath { "stats" / "people" / uid.key }

    // MARK: What follows from it, for the service

    /// The posts that somebody likes, each `true`.
    package static func liked(_ uid: UserID) -> TreePath { TreePath(["liked", uid.key], in: .social) }

    /// The comments that somebody has written: `{post}/{comment}`, each `true`.
    package static func commented(_ uid: UserID) -> TreePath { TreePath(["commented", uid.key], in: .social) }

    /// The people by the forms of their names (``NameIndex``).
    package static let names = TreePath(["names"], in: .social)

    /// What somebody's home feed has, by the posts' positions in the order of publication: the ids. Clients see it as
    /// ``feed(_:)``.
    package static func home(_ uid: UserID) -> TreePath { TreePath(["home", uid.key], in: .social) }

    /// The position up to which a home feed has all that it should have; nothing before it is read for the first time.
    package static func homeMark(_ uid: UserID) -> TreePath { TreePath(["home_marks", uid.key], in: .social) }

    /// The posts of somebody that are gone and may still be in feeds, by their positions in the order of publication: the ids.
    static func withdrawnPosts(by author: UserID) -> TreePath { TreePath(["withdrawn", author.key], in: .social) }

    /// What is known of the deletion of a person (``PersonDeletion``).
    package static func deletion(of uid: UserID) -> TreePath { TreePath(["deletions", uid.key], in: .social) }

    /// Work that is left to do (``JobWorker``).
    package static let jobs = TreePath(["jobs"], in: .social)
}
