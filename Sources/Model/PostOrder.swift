package import Tree

/// The order of publication, updated by the commits that add, delete and change posts, regardless of their writer.
///
///     all/{position}               = post id, and the author after a slash
///     published/{uid}/{position}   = post id
///     tagged/{hashtag}/{position}  = post id
///     positions/{post id}          = position, and the author and the hashtags after spaces
///
/// in ``Namespace/social``. Every value at `posts/{id}` has a position from its appearance until its deletion, whether
/// it can be shown or not: a client may complete it later. The author is the id at `author/uid`. A post whose author is
/// added or changed gets the position of that commit, so that a reader who has read the author's posts before finds it
/// after them, and not among them.
package struct PostOrder: Derivation {
    package let place = PostNodes.post.pattern

    package init() {}

    package func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let position = PostPosition(sequence: commit.token.sequence, number: post.number)
        return try Self.writes(for: post.keys[0], isThere: post.after.isThere, at: position, in: snapshot)
    }

    /// Returns the rows to be written so that the order contains one post in its present state.
    ///
    /// - Parameters:
    ///   - position: The position of the post if it has none yet.
    ///   - isOfEarlierVersion: Whether the lists may lack rows that the entry of the post implies.
    package static func writes(
        for id: TreeKey, isThere: Bool, at position: PostPosition, isOfEarlierVersion: Bool = false,
        in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let old = try PublicationEntry(of: id, in: snapshot)
        var new: PublicationEntry?
        if isThere {
            let author = try snapshot.get(PostNodes.post() / id / "author" / "uid")?.stringValue.flatMap { UserID($0) }
            let text = try snapshot.get(PostNodes.post() / id / "text")?.stringValue ?? ""
            let isNew = old == nil || author != nil && old?.author != author
            new = PublicationEntry(
                position: isNew ? position : old?.position ?? position, author: author, tags: Hashtags.tags(in: text))
        }
        guard old != new || isOfEarlierVersion else { return [] }
        // The former and the present rows of the post in the lists.
        let (before, after) = (old?.rows(of: id) ?? [:], new?.rows(of: id) ?? [:])
        var writes = before.keys.filter { after[$0] == nil }.map { TreeWrite(path: $0, value: nil) }
        for (path, text) in after {
            let known = isOfEarlierVersion ? try snapshot.get(path)?.stringValue : before[path]
            if known != text { writes.append(TreeWrite(path: path, value: .string(text))) }
        }
        if old != new { writes.append(TreeWrite(path: PostNodes.position(id), value: new?.value)) }
        return writes
    }
}

/// The entry of one post in the order of publication: the value at ``PostNodes/position``.
package struct PublicationEntry: Equatable, Sendable {
    package let position: PostPosition
    package let author: UserID?
    /// The hashtags under which the post is listed.
    let tags: [TreeKey]

    fileprivate init(position: PostPosition, author: UserID?, tags: [TreeKey]) {
        self.position = position
        self.author = author
        self.tags = tags
    }

    /// Reads the entry of a post; nil if the post does not exist.
    package init?(of id: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let value = try snapshot.get(PostNodes.position(id)) else { return nil }
        self.init(value)
    }

    /// Reads the value; nil if it is invalid.
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(text)
    }

    /// Reads the text of the value; nil if it is invalid.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard let first = parts.first, let position = PostPosition(digits: first) else { return nil }
        self.position = position
        author = parts.count > 1 ? UserID(String(Substring(parts[1]))) : nil
        tags = parts.dropFirst(2).map { TreeKey(unchecked: String(Substring($0))) }
    }

    /// Whether the post is listed under a hashtag.
    package func lists(tag: TreeKey) -> Bool { tags.contains(tag) }

    fileprivate var value: TreeValue {
        var parts = [position.key.string]
        if author != nil || !tags.isEmpty { parts.append(author?.description ?? "") }
        return .string((parts + tags.map(\.string)).joined(separator: " "))
    }

    /// Returns the rows in the lists, by their paths.
    fileprivate func rows(of id: TreeKey) -> [TreePath: String] {
        var rows = [PostNodes.published() / position.key: "\(id)/\(author?.description ?? "")"]
        if let author { rows[PostNodes.publishedBy(author) / position.key] = id.string }
        for tag in tags { rows[PostNodes.taggedInOrder(tag) / position.key] = id.string }
        return rows
    }
}

/// A post in a list of the order of publication.
package struct ListedPost: Sendable, Hashable {
    package let position: PostPosition
    package let id: TreeKey
    /// The author's id; empty for none, and nil if the list does not contain it.
    package let author: String?

    package init(_ position: PostPosition, _ id: TreeKey, author: String?) {
        self.position = position
        self.id = id
        self.author = author
    }

    /// Reads a row of a list; nil if it is invalid.
    package init?(_ row: TreeChild) {
        guard let position = PostPosition(key: row.key), let text = row.value.stringValue else { return nil }
        self.position = position
        // Keys cannot contain a slash.
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        id = TreeKey(unchecked: String(text[..<(slash ?? text.endIndex)]))
        author = slash.map { String(text[text.utf8.index(after: $0)...]) }
    }
}

extension TreeSnapshot {
    /// Returns the position of a post; nil if the post does not exist.
    package func position(ofPost id: TreeKey) throws(TreeError) -> PostPosition? {
        try PublicationEntry(of: id, in: self)?.position
    }
}
