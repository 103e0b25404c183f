package import Tree

/// The order of publication, kept beside the posts in the commits that add, delete and change them, whoever makes them.
///
///     all/{position}               = post id
///     published/{uid}/{position}   = post id
///     positions/{post id}          = position, and the author behind a space
///
/// in ``Namespace/social``. Everything that stands at `posts/{id}` has a position from the moment at which it appears
/// until it goes, whether it can be shown or not: a client may complete it later. Author is whoever `author/uid` names.
package struct PostOrder: Derivation {
    package let place = TreePattern("posts/*")

    package init() {}

    package func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let position = PostPosition(sequence: commit.token.sequence, number: post.number)
        return try Self.writes(for: post.keys[0], isThere: post.after.isThere, at: position, in: snapshot)
    }

    /// The rows to be written so that the order has one post as it is now.
    ///
    /// - Parameter position: The position of the post if it has none yet.
    package static func writes(
        for id: TreeKey, isThere: Bool, at position: PostPosition, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let old = try snapshot.get(Paths.postPosition(id)).flatMap(Entry.init)
        var new: Entry?
        if isThere {
            let author = try snapshot.get(Paths.posts / id / "author" / "uid")?.stringValue
            new = Entry(position: old?.position ?? position, author: author.flatMap { UserID($0) })
        }
        guard old != new else { return [] }
        // What has changed of the lists, and where the post is found in them.
        let stale = Set(old?.paths ?? []).subtracting(new?.paths ?? [])
        let missing = Set(new?.paths ?? []).subtracting(old?.paths ?? [])
        return stale.map { TreeWrite(path: $0, value: nil) }
            + missing.map { TreeWrite(path: $0, value: .string(id.string)) }
            + [TreeWrite(path: Paths.postPosition(id), value: new?.value)]
    }

    /// What the order has of one post.
    private struct Entry: Equatable {
        let position: PostPosition
        let author: UserID?

        init(position: PostPosition, author: UserID?) {
            self.position = position
            self.author = author
        }

        init?(_ value: TreeValue) {
            let parts = value.stringValue?.split(separator: " ") ?? []
            guard let first = parts.first, let key = try? TreeKey(String(first)), let position = PostPosition(key: key)
            else { return nil }
            self.init(position: position, author: parts.count > 1 ? UserID(String(parts[1])) : nil)
        }

        var value: TreeValue { .string(position.key.string + (author.map { " \($0)" } ?? "")) }

        /// The places in the lists.
        var paths: [TreePath] {
            [Paths.publishedPosts / position.key]
                + (author.map { [Paths.publishedPosts(by: $0) / position.key] } ?? [])
        }
    }
}

extension TreeSnapshot {
    /// The position of a post; nil when there is no such post.
    package func position(ofPost id: TreeKey) throws(TreeError) -> PostPosition? {
        guard let text = try get(Paths.postPosition(id))?.stringValue?.prefix(while: { $0 != " " }) else { return nil }
        return (try? TreeKey(String(text))).flatMap { PostPosition(key: $0) }
    }
}
