import Model
import Tree

/// Has what is left of a post removed when it is deleted, whoever deletes it.
struct DeletionCause: Derivation {
    let place = PostNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard post.isDeleted else { return [] }
        let (id, subject) = (post.keys[0], FollowUpTaskSubject(post.keys[0]))
        // The order of publication still has it: this comes before that.
        let cause = try snapshot.get(PostNodes.position(id))?.stringValue
        var writes = PendingFollowUpTask.writes(.deletePost, subject, at: commit, cause: cause)
        // It may have been deleted before, at another place.
        let earlier = try snapshot.get(FollowUpTaskKind.deletePost.path / id / "cause")?.stringValue
        for (text, value) in [(earlier, nil), (cause, .string(id.string))] as [(String?, TreeValue?)] {
            guard let row = text.flatMap({ PublicationEntry($0) })?.withdrawn else { continue }
            writes.append(TreeWrite(path: row, value: value))
        }
        return writes
    }
}

extension PublicationEntry {
    /// Where the post stands among those of its author that are gone; nil where nobody is the author.
    fileprivate var withdrawn: TreePath? { author.map { FeedNodes.withdrawn($0) / position.key } }
}

/// Removes the likes and comments of a post that is gone, and its entries in the feeds of its author's followers.
///
/// Another post may stand at the id by then, of somebody else, too: it inherits nothing, so the work is done all the same. Only
/// what goes by the id, and not by the post's place, is left then to whom the other post is for: entries in `feed/` of those
/// who follow its author.
///
/// Whoever has left the author meanwhile has a follow-up task of their own, or had it (``UnfollowTask``). It may have passed
/// over the post's place before the post was gone, and then has removed the entry, or finds it among those that are gone; as
/// long as that follow-up task is left to do, its follower is found here.
struct DeletedPostTask: FollowUpTask {
    static let kind = FollowUpTaskKind.deletePost
    /// What positions among those who have left begin with.
    private static let left = "left "
    /// The number of feeds of one step: each has the post twice.
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
            // There may be more: the next step looks again.
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

    /// Removes a post from the next feeds: of followers, then of those who have just left.
    ///
    /// - Parameter successor: The author of the post that has the id by now.
    /// - Returns: Where the next step begins; nil when those were the last.
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
