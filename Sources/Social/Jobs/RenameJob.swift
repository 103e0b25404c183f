import Posts
import Tree

/// Has the copies of a name or a picture changed when a person changes it.
struct RenameCause: Derivation {
    let place: TreePattern

    init(of field: TreePath) { place = TreePattern(field) }

    func writes(
        for field: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard field.before != field.after, let uid = UserID(field.keys[0].string),
            try snapshot.exists(Paths.person(uid) / "full_name"),
            try snapshot.hasWritten(uid)
        else { return [] }
        return PendingJob.writes(.rename, JobSubject(uid.key), at: commit)
    }
}

/// Gives the posts and comments of a person the person's present name and picture.
struct RenameJob: Job {
    static let kind = JobKind.rename
    /// The number of posts, or of commented posts, that one step looks at.
    private static let batch = JobStep.maxWrites / 4

    /// Where a step begins, as text: behind a post's position, or behind a post that the person has commented on.
    private enum Position {
        case post(TreeKey?)
        case comments(TreeKey?)

        init(_ text: String?) {
            let parts = text?.split(separator: " ", omittingEmptySubsequences: false) ?? ["posts", ""]
            let key = parts.count > 1 && !parts[1].isEmpty ? TreeKey(unchecked: String(parts[1])) : nil
            self = parts.first == "comments" ? .comments(key) : .post(key)
        }

        var text: String {
            switch self {
            case .post(let key): "posts \(key?.string ?? "")"
            case .comments(let key): "comments \(key?.string ?? "")"
            }
        }
    }

    func step(
        _ job: PendingJob, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let uid = UserID(job.subject.key.string) else { return nil }
        let (name, picture) = try snapshot.nameAndPicture(of: uid)
        let author = Person(uid: uid, fullName: name, profilePicture: picture).author
        switch Position(job.position) {
        case .post(let last):
            let posts = try snapshot.children(
                of: Paths.publishedPosts(by: uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
            for post in posts {
                guard let id = post.value.stringValue else { continue }
                try rename(Paths.posts / TreeKey(unchecked: id), author, snapshot, &update)
            }
            return posts.count == Self.batch
                ? Position.post(posts.last?.key).text : Position.comments(nil).text
        case .comments(let last):
            return try renameComments(of: uid, after: last, author, snapshot, &update)
        }
    }

    private func renameComments(
        of uid: UserID, after last: TreeKey?, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let posts = try snapshot.keys(
            of: Paths.commented(uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
        for post in posts {
            for comment in try snapshot.keys(of: Paths.commented(uid) / post) {
                try rename("comments" / post / comment, author, snapshot, &update)
            }
        }
        return posts.count == Self.batch ? Position.comments(posts.last).text : nil
    }

    /// Renames the author in what stands at a path, if it is the person's own.
    private func rename(
        _ path: TreePath, _ author: TreeValue, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard let old = try snapshot.get(path / "author"), old["uid"] == author["uid"] else { return }
        for field in ["full_name", "profile_picture"] as [TreeKey] where old[field] != author[field] {
            update[path / "author" / field] = author[field]
        }
    }
}

extension TreeSnapshot {
    /// Whether there are posts or comments of a person.
    fileprivate func hasWritten(_ uid: UserID) throws(TreeError) -> Bool {
        if try exists(Paths.publishedPosts(by: uid)) { return true }
        return try exists(Paths.commented(uid))
    }
}
