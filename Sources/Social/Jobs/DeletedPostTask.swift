import Model
import Tree

/// Starts the removal of a post's traces when it is deleted, by any writer.
struct DeletionCause: Derivation {
    let place = PostNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard post.isDeleted else { return [] }
        let (id, subject) = (post.keys[0], FollowUpTaskSubject(post.keys[0]))
        // The order of publication still contains the post, because this derivation runs before it.
        let cause = try snapshot.get(PostNodes.position(id))?.stringValue
        var writes = PendingFollowUpTask.writes(.deletePost, subject, at: commit, cause: cause)
        // The post may have been deleted before, at another position.
        let earlier = try snapshot.get(FollowUpTaskKind.deletePost.path / id / "cause")?.stringValue
        for (text, value) in [(earlier, nil), (cause, .string(id.string))] as [(String?, TreeValue?)] {
            guard let row = text.flatMap({ PublicationEntry($0) })?.withdrawn else { continue }
            writes.append(TreeWrite(path: row, value: value))
        }
        return writes
    }
}

extension PublicationEntry {
    /// The path of the post's entry among its author's deleted posts; nil if it has no author.
    fileprivate var withdrawn: TreePath? { author.map { FeedNodes.withdrawn($0) / position.key } }
}

/// Removes the likes and comments of a deleted post, and its entries in the feeds of its author's followers.
///
/// By then, another post, possibly of another author, may have the same id. It inherits nothing, so all the work is
/// done. Only entries that depend on the id alone, and not on the position, are kept for the readers of the other post:
/// those in `feed/` of its author's followers.
///
/// People who have stopped following the author in the meantime have their own follow-up task (``UnfollowTask``),
/// pending or complete. It may have passed the post's position before the deletion, and has then removed the entry, or
/// it finds the entry among the author's deleted posts. As long as that task is pending, its follower is also found
/// here.
struct DeletedPostTask: FollowUpTask {
    static let kind = FollowUpTaskKind.deletePost
    /// The prefix of positions among former followers.
    private static let left = "left "
    /// The number of feeds in one step; each contains the post twice.
    private static let limit = FollowUpTaskStep.maxWrites / 2 - 1

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let post = task.subject.key
        let place = task.cause.flatMap { PublicationEntry($0) }
        let isTaken = try snapshot.exists(PostNodes.post() / post)
        let successor = try isTaken ? snapshot.author(ofPost: post) : nil
        var lists: [TreePath] = [ReactionNodes.like(post), ReactionNodes.comment(post), ReactionNodes.postFlag(post)]
        if !isTaken { lists.append(NotificationNodes.notedLike() / post) }
        for list in lists {
            let keys = try snapshot.keys(of: list, limit: FollowUpTaskStep.maxWrites)
            for key in keys { update[list / key] = nil }
            // The next step looks for more.
            if !keys.isEmpty { return task.position ?? "" }
        }
        guard let place, let author = place.author, let row = place.withdrawn else { return nil }
        let next = try removeFromFeeds(
            post, of: author, at: place.position.key, keptBy: successor, task.position, snapshot, &update)
        if next == nil {
            update[FeedNodes.home(author) / place.position.key] = nil
            update[row] = nil
        }
        return next
    }

    /// Removes a post from the next feeds: first those of followers, then those of former followers.
    ///
    /// - Parameter successor: The author of the post that now has the id.
    /// - Returns: The position at which the next step begins; nil after the last feed.
    private func removeFromFeeds(
        _ post: TreeKey, of author: UserID, at position: TreeKey, keptBy successor: UserID?, _ last: String?,
        _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        func remove(from readers: [UserID]) throws(TreeError) {
            for reader in readers {
                update[FeedNodes.home(reader) / position] = nil
                if let successor {
                    let isOwn = reader == successor
                    if try snapshot.exists(PeopleNodes.following(reader) / successor.key) || isOwn { continue }
                }
                update[FeedNodes.entry(reader) / post] = nil
            }
        }
        guard let last, last.hasPrefix(Self.left) else {
            let range: KeyRange = last.flatMap { UserID($0) }.map { .after($0.key) } ?? .all
            let keys = try snapshot.keys(of: PeopleNodes.follower(author), range: range, limit: Self.limit)
            try remove(from: keys.compactMap { UserID($0.string) })
            return keys.count == Self.limit ? keys.last?.string : Self.left
        }
        let (prefix, range) = FollowUpTaskSubject.range(
            of: author, after: UserID(String(last.dropFirst(Self.left.count))))
        let keys = try snapshot.keys(of: FollowUpTaskKind.unfollow.path, range: range, limit: Self.limit)
            .filter { $0.string.hasPrefix(prefix) }
        try remove(from: keys.compactMap { FollowUpTaskSubject($0).people?.1 })
        return keys.count == Self.limit ? keys.last.map { Self.left + $0.string.dropFirst(prefix.count) } : nil
    }
}
