import Model
import Tree

/// Starts the update of copies when a person changes their name or picture.
struct RenameCause: Derivation {
    let place: TreePattern

    init(of field: TreePath) { place = TreePattern(field) }

    func writes(
        for field: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard field.before != field.after, let uid = UserID(field.keys[0].string),
            try snapshot.exists(PeopleNodes.person(uid) / "full_name"),
            try Self.hasCopies(of: uid, in: snapshot)
        else { return [] }
        return PendingFollowUpTask.writes(.rename, FollowUpTaskSubject(uid.key), at: commit)
    }
}

/// Updates a person's name and picture in their posts and comments, and in the notifications of their actions: posts,
/// comments, likes and follows.
///
/// Notifications are found by their causes, which store their ids (``NotificationRecord``), so a list by actor is not
/// needed. Notifications of announcements keep the old copies: routes show the current names of their authors.
struct RenameTask: FollowUpTask {
    static let kind = FollowUpTaskKind.rename
    /// The number of copies that one step reads; each may need two writes.
    private static let batch = FollowUpTaskStep.maxWrites / 2

    /// The position at which a step begins, as text: after a post's position, after a post for audiences, after a
    /// comment, after a post that the person likes, or after a person whom they follow.
    ///
    /// The keys are separated by a character that keys cannot contain.
    private enum Position {
        case posts(after: TreeKey?)
        case audiencePosts(after: TreeKey?)
        case comments(of: TreeKey?, after: TreeKey?)
        case likes(after: TreeKey?)
        case follows(after: TreeKey?)

        init(_ text: String?) {
            let parts = (text ?? "").split(separator: "/")
            let keys = parts.dropFirst().map { TreeKey(unchecked: String($0)) }
            self =
                switch parts.first {
                case "audience_posts": .audiencePosts(after: keys.first)
                case "comments": .comments(of: keys.first, after: keys.dropFirst().first)
                case "likes": .likes(after: keys.first)
                case "follows": .follows(after: keys.first)
                default: .posts(after: keys.first)
                }
        }

        var text: String {
            switch self {
            case .posts(let key): "posts/\(key?.string ?? "")"
            case .audiencePosts(let key): "audience_posts/\(key?.string ?? "")"
            case .comments(let post, let comment): "comments/\(post?.string ?? "")/\(comment?.string ?? "")"
            case .likes(let post): "likes/\(post?.string ?? "")"
            case .follows(let followee): "follows/\(followee?.string ?? "")"
            }
        }
    }

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let uid = UserID(task.subject.key.string) else { return nil }
        // A change of its author's name must not notify the people whom a comment mentions.
        update.scope = .repair
        let (name, picture) = try snapshot.nameAndPicture(of: uid)
        let author = Person(uid: uid, fullName: name, profilePicture: picture).author
        switch Position(task.position) {
        case .posts(let last):
            let next = try renamePosts(of: uid, after: last, author, snapshot, &update)
            return (next.map { Position.posts(after: $0) } ?? .audiencePosts(after: nil)).text
        case .audiencePosts(let last):
            let posts = try snapshot.keys(
                of: AudienceNodes.postBy(uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
            for post in posts { try rename(AudienceNodes.post() / post / "author", author, snapshot, &update) }
            return posts.count == Self.batch
                ? Position.audiencePosts(after: posts.last).text : Position.comments(of: nil, after: nil).text
        case .comments(let post, let last):
            let next = try renameComments(of: uid, on: post, after: last, author, snapshot, &update)
            return (next ?? .likes(after: nil)).text
        case .likes(let last):
            let next = try renameNotifications(of: ReactionNodes.liked(uid), after: last, author, snapshot, &update) {
                post in
                NotificationNodes.notedLike() / post / uid.key
            }
            return (next.map { Position.likes(after: $0) } ?? .follows(after: nil)).text
        case .follows(let last):
            return try renameNotifications(of: PeopleNodes.following(uid), after: last, author, snapshot, &update) {
                followee in
                NotificationNodes.notedFollow() / followee / uid.key
            }.map { Position.follows(after: $0).text }
        }
    }

    /// Renames the author of a person's posts and of their notifications.
    ///
    /// - Returns: The position after which the next step begins; nil if there are no more.
    private func renamePosts(
        of uid: UserID, after last: TreeKey?, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> TreeKey? {
        let posts = try snapshot.children(
            of: PostNodes.publishedBy(uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
        var (rest, last) = (Self.batch, last)
        for post in posts {
            guard rest > 0 else { return last }
            last = post.key
            guard let id = post.value.stringValue.map({ TreeKey(unchecked: $0) }) else { continue }
            rest -= try rename(
                PostNodes.post() / id, toldOf: NotificationNodes.notedPost() / id, author, snapshot, &update)
        }
        return posts.count == Self.batch ? last : nil
    }

    /// Renames the author of a person's comments: of the remaining ones on one post, then of those on the following
    /// posts.
    ///
    /// - Returns: The position at which the next step begins; nil if there are no more.
    private func renameComments(
        of uid: UserID, on post: TreeKey?, after last: TreeKey?, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Position? {
        let commented = ReactionNodes.commented(uid)
        var (post, last, rest) = (post, last, Self.batch)
        while rest > 0 {
            if let post {
                let comments = try snapshot.keys(
                    of: commented / post, range: last.map { .after($0) } ?? .all, limit: rest)
                for comment in comments where rest > 0 {
                    rest -= try rename(
                        ReactionNodes.comment(post, comment), toldOf: NotificationNodes.notedComment() / post / comment,
                        author, snapshot,
                        &update)
                    last = comment
                }
                if rest <= 0 { break }
            }
            let next = try snapshot.keys(of: commented, range: post.map { .after($0) } ?? .all, limit: 1)
            guard let found = next.first else { return nil }
            (post, last) = (found, nil)
        }
        return .comments(of: post, after: last)
    }

    /// Renames the author of a text, and the actor of its notifications on a list (``TextNotifications``).
    ///
    /// - Returns: The number of copies.
    private func rename(
        _ text: TreePath, toldOf list: TreePath, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        try rename(text / "author", author, snapshot, &update)
        let records = try snapshot.children(of: list, limit: TextNotifications.maxRecipients)
        for record in records { try rename(NotificationRecord(record.value), author, snapshot, &update) }
        return 1 + records.count
    }

    /// Renames the actor of the notifications whose causes are children of a list.
    ///
    /// - Parameter record: Returns the path of the record of a child's notification.
    /// - Returns: The child after which the next step begins; nil if there are no more.
    private func renameNotifications(
        of list: TreePath, after last: TreeKey?, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate, record: (TreeKey) -> TreePath
    ) throws(TreeError) -> TreeKey? {
        let keys = try snapshot.keys(of: list, range: last.map { .after($0) } ?? .all, limit: Self.batch)
        for key in keys { try rename(NotificationRecord(try snapshot.get(record(key))), author, snapshot, &update) }
        return keys.count == Self.batch ? keys.last : nil
    }

    private func rename(
        _ record: NotificationRecord?, _ author: TreeValue, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard let record else { return }
        try rename(record.path / "actor", author, snapshot, &update)
    }

    /// Renames the copy at a path, if it is of this person.
    private func rename(
        _ path: TreePath, _ author: TreeValue, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard let old = try snapshot.get(path), old["uid"] == author["uid"] else { return }
        for field in ["full_name", "profile_picture"] as [TreeKey] where old[field] != author[field] {
            update[path / field] = author[field]
        }
    }
}

extension RenameCause {
    /// Whether there may be copies of a person's name: in posts or comments of theirs, or in notifications of their
    /// actions.
    fileprivate static func hasCopies(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        // The order of publication does not contain the posts of this commit yet, but the author's list does.
        let lists = [
            PostNodes.publishedBy(uid), PeopleNodes.ownPost(uid), AudienceNodes.postBy(uid),
            ReactionNodes.commented(uid),
            ReactionNodes.liked(uid), PeopleNodes.following(uid),
        ]
        for list in lists where try snapshot.exists(list) { return true }
        return false
    }
}
