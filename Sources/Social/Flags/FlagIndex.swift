import Model
import Tree

/// Counts the flags of each post and comment, lists the flagged ones and the people who flag them, and notifies the
/// operator of the first flag of each.
struct FlagIndex: Derivation {
    static let ofPosts = FlagIndex(place: ReactionNodes.postFlag.pattern)
    static let ofComments = FlagIndex(place: ReactionNodes.commentFlag.pattern)

    let place: TreePattern

    func writes(
        for flag: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard flag.before.isThere != flag.after.isThere, let uid = flag.keys.last else { return [] }
        let subject = FlagSubject(flag.keys[0], flag.keys.count > 2 ? flag.keys[1] : nil)
        let old = try FlagRecord(of: subject, in: snapshot)
        var record = old
        record.count = max(0, old.count + (flag.after.isThere ? 1 : -1))
        if old.count == 0 { record.since = commit.timestamp }
        var writes: [TreeWrite] = []
        if flag.after.isThere, !old.isTold {
            record.isTold = true
            writes = try Self.message(of: flag, subject, at: commit, in: snapshot)
        }
        let list = subject.path(below: ReactionNodes.flagged(uid))
        return writes + record.writes(replacing: old) + [TreeWrite(path: list, value: flag.after.isThere ? true : nil)]
    }

    /// Returns the writes of the message to the operator; imported flags create none.
    private static func message(
        of flag: ChangedNode, _ subject: FlagSubject, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !flag.isPartOfMore, let actor = flag.keys.last.flatMap({ UserID($0.string) }) else { return [] }
        // Flags of both kinds in one update need different numbers.
        let number = 2 * flag.number + (subject.comment == nil ? 0 : 1)
        let position = PostPosition(sequence: commit.token.sequence, number: number).key
        return try snapshot.operatorDelivery(
            at: position, of: .flag, by: actor, post: subject.post, comment: subject.comment, at: commit)
    }
}

/// Removes a post's flag record with the post, and its flags: those of a public post are removed by
/// ``DeletedPostTask``, because their number is not limited. If the post returns before that, it has flags, and the
/// operator has not been notified.
struct PostFlagsEnd: Derivation {
    let place: TreePattern

    init(of place: TreePath) { self.place = TreePattern(place) }

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let subject = FlagSubject(post.keys[0], nil)
        guard post.isDeleted, try subject.path(in: snapshot) == nil else { return [] }
        let areFew = place.path.keys.first == AudienceNodes.post().keys.first
        let ends = areFew ? [TreeWrite(path: subject.flags, value: nil)] : []
        let old = try FlagRecord(of: subject, in: snapshot)
        guard old.isTold || old.isDismissed else { return ends }
        var record = old
        (record.isTold, record.isDismissed) = (false, false)
        return ends + record.writes(replacing: old)
    }
}

/// Removes the flags of a comment with the comment.
struct CommentFlagsEnd: Derivation {
    let place = ReactionNodes.comment.pattern

    func writes(for comment: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard comment.isDeleted else { return [] }
        let subject = FlagSubject(comment.keys[0], comment.keys[1])
        let known = subject.path(below: ReactionNodes.flags())
        return [known / "told", known / "dismissed", subject.flags].map { TreeWrite(path: $0, value: nil) }
    }
}
