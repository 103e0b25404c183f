import Posts
import Tree

/// Tells the author of a post of each comment on it, and each whom a comment mentions of that: once, also when the comment
/// is edited. What is deleted, or mentions somebody no more, takes its notifications along.
struct CommentNotices: Derivation {
    /// The most mentions of a comment of which anybody is told.
    static let maxMentions = 20
    /// The most people who are told of one comment, however often it is edited.
    static let maxRecipients = 50

    let place = TreePattern("comments/*/*")

    func writes(
        for comment: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let list = Paths.noticedComments / comment.keys[0] / comment.keys[1]
        let known = try snapshot.children(of: list, limit: Self.maxRecipients).compactMap { NoticeRecord($0.value) }
        guard comment.after.isThere else {
            return known.map { TreeWrite(path: $0.path, value: nil) }
                + (known.isEmpty ? [] : [TreeWrite(path: list, value: nil)])
        }
        // What comes with an import is no news.
        guard !comment.isPartOfMore else { return [] }
        let mentioned = try Self.mentioned(in: comment, snapshot)
        let stale = known.filter { $0.kind == .mention && !mentioned.contains($0.recipient) }
        return stale.map { TreeWrite(path: $0.path, value: nil) }
            + (try Self.news(of: comment, mentioning: mentioned, beside: known, at: commit, in: snapshot))
    }

    /// The notifications that are missing, and their records.
    private static func news(
        of comment: ChangedNode, mentioning mentioned: [UserID], beside known: [NoticeRecord], at commit: CommitPoint,
        in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (post, key) = (comment.keys[0], comment.keys[1])
        guard !comment.before.isThere || !mentioned.isEmpty, let author = try snapshot.author(ofPost: post),
            let actor = try snapshot.user(at: "comments" / post / key / "author" / "uid")
        else { return [] }
        var recipients: [(uid: UserID, kind: NotificationKind)] = []
        if !comment.before.isThere { recipients.append((author, .comment)) }
        for uid in mentioned where uid != author { recipients.append((uid, .mention)) }
        let position = NoticePosition.id(of: comment, from: .comment, at: commit)
        var room = maxRecipients - known.count
        var writes: [TreeWrite] = []
        for (recipient, kind) in recipients where room > 0 && !known.contains(where: { $0.recipient == recipient }) {
            guard try snapshot.tells(recipient, of: actor) else { continue }
            room -= 1
            let id = try snapshot.position(position, behindLastOf: recipient)
            let notice = Notice(kind: kind, actor: actor, post: post, comment: key)
            writes += try notice.writes(to: recipient, as: id, at: commit, in: snapshot)
            let record = NoticeRecord(
                id: id.key, milliseconds: commit.timestampMilliseconds, kind: kind, recipient: recipient)
            writes.append(
                TreeWrite(path: Paths.noticedComments / post / key / recipient.key, value: record.value))
        }
        return writes
    }

    /// Whom a comment mentions, each once, in their order.
    private static func mentioned(in comment: ChangedNode, _ snapshot: TreeSnapshot) throws(TreeError) -> [UserID] {
        let list = "comments" / comment.keys[0] / comment.keys[1] / "mentions"
        var mentioned: [UserID] = []
        for key in try snapshot.keys(of: list, limit: maxMentions) {
            guard let uid = try snapshot.user(at: list / key / "uid"), !mentioned.contains(uid) else { continue }
            mentioned.append(uid)
        }
        return mentioned
    }
}
