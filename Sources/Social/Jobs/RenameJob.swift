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
    /// The number of posts, or of comments, that one step looks at: each may need two writes.
    private static let batch = JobStep.maxWrites / 2

    /// Where a step begins, as text: behind a post's position, behind a post for audiences, or behind a comment.
    ///
    /// Between the keys stands what none of them can have.
    private enum Position {
        case posts(after: TreeKey?)
        case audiencePosts(after: TreeKey?)
        case comments(of: TreeKey?, after: TreeKey?)

        init(_ text: String?) {
            let keys = (text ?? "").split(separator: "/").dropFirst().map { TreeKey(unchecked: String($0)) }
            switch text?.prefix(while: { $0 != "/" }) {
            case "comments": self = .comments(of: keys.first, after: keys.dropFirst().first)
            case "audience_posts": self = .audiencePosts(after: keys.first)
            default: self = .posts(after: keys.first)
            }
        }

        var text: String {
            switch self {
            case .posts(let key): "posts/\(key?.string ?? "")"
            case .audiencePosts(let key): "audience_posts/\(key?.string ?? "")"
            case .comments(let post, let comment): "comments/\(post?.string ?? "")/\(comment?.string ?? "")"
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
        case .posts(let last):
            let posts = try snapshot.children(
                of: Paths.publishedPosts(by: uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
            for post in posts {
                guard let id = post.value.stringValue else { continue }
                try rename(Paths.posts / TreeKey(unchecked: id), author, snapshot, &update)
            }
            return posts.count == Self.batch
                ? Position.posts(after: posts.last?.key).text : Position.audiencePosts(after: nil).text
        case .audiencePosts(let last):
            let posts = try snapshot.keys(
                of: Paths.audiencePosts(by: uid), range: last.map { .after($0) } ?? .all, limit: Self.batch)
            for post in posts { try rename(Paths.audiencePosts / post, author, snapshot, &update) }
            return posts.count == Self.batch
                ? Position.audiencePosts(after: posts.last).text : Position.comments(of: nil, after: nil).text
        case .comments(let post, let last):
            return try renameComments(of: uid, on: post, after: last, author, snapshot, &update)?.text
        }
    }

    /// Renames the author of a person's comments: of the rest of those on one post, then of those on the posts after it.
    ///
    /// - Returns: Where the next step begins; nil when there are no more.
    private func renameComments(
        of uid: UserID, on post: TreeKey?, after last: TreeKey?, _ author: TreeValue, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Position? {
        let commented = Paths.commented(uid)
        var (post, last, rest) = (post, last, Self.batch)
        while rest > 0 {
            if let post {
                let comments = try snapshot.keys(
                    of: commented / post, range: last.map { .after($0) } ?? .all, limit: rest)
                for comment in comments { try rename("comments" / post / comment, author, snapshot, &update) }
                rest -= comments.count
                last = comments.last ?? last
                if rest == 0 { break }
            }
            let next = try snapshot.keys(of: commented, range: post.map { .after($0) } ?? .all, limit: 1)
            guard let found = next.first else { return nil }
            (post, last) = (found, nil)
        }
        return .comments(of: post, after: last)
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
        for list in [Paths.publishedPosts(by: uid), Paths.audiencePosts(by: uid)] where try exists(list) { return true }
        return try exists(Paths.commented(uid))
    }
}
