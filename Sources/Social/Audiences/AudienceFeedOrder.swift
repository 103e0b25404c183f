import Model
import Tree

/// Maintains the feeds of audiences in the commits that add, change and delete posts, by any writer: a copy of each
/// post for the members, and its position in the order of publication.
///
///     stories/{audience}/{post id}                              = the post, without its audiences
///     stories/{audience}/{position}         in the service's own tree = post id
///     story_positions/{post id}/{audience}  in the service's own tree = position
///
/// A post that is later added to another audience gets the position of that commit there, so that members who have read
/// the feed before find it among the new posts.
struct AudienceFeedOrder: Derivation {
    let place = AudienceNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let position = PostPosition(sequence: commit.token.sequence, number: post.number)
        return try Self.writes(for: post.keys[0], at: position, in: snapshot)
    }

    /// Returns the writes that update the feeds for a post.
    ///
    /// - Parameter position: The position of the post in feeds that do not contain it yet.
    static func writes(
        for id: TreeKey, at position: PostPosition, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let record = try snapshot.get(AudienceNodes.post() / id)
        let audiences = PostAudiences.named(by: record)
        let old = try snapshot.children(of: AudienceNodes.positions(id))
        var writes: [TreeWrite] = []
        for row in old {
            guard let audience = AudienceID(row.key.string), !audiences.contains(audience) else { continue }
            writes.append(TreeWrite(path: AudienceNodes.story(audience) / id, value: nil))
            writes.append(TreeWrite(path: AudienceNodes.positions(id) / audience.key, value: nil))
            guard let position = row.value.stringValue else { continue }
            let place = AudienceNodes.published(audience) / TreeKey(unchecked: position)
            writes.append(TreeWrite(path: place, value: nil))
        }
        let copy = AudienceFeedCopy.value(of: record)
        for audience in audiences {
            writes.append(TreeWrite(path: AudienceNodes.story(audience) / id, value: copy))
            guard !old.contains(where: { $0.key == audience.key }) else { continue }
            let positionText = TreeValue.string(position.key.string)
            writes.append(
                TreeWrite(path: AudienceNodes.positions(id) / audience.key, value: positionText))
            writes.append(
                TreeWrite(path: AudienceNodes.published(audience) / position.key, value: .string(id.string)))
        }
        return writes
    }

    /// Returns the position for a post without one: the stored time of its publication. Posts of one commit are
    /// distinguished by their ids.
    static func positionOfRepair(_ id: TreeKey, _ snapshot: TreeSnapshot) throws(TreeError) -> PostPosition {
        let published = try snapshot.get(AudienceNodes.post() / id / "published")?.integerValue
        let last = try snapshot.token.sequence
        // FNV-1a, 32 bits.
        let number = id.string.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return PostPosition(sequence: published.flatMap { UInt64(exactly: $0) } ?? last, number: Int(number))
    }
}

/// Adds to each post for audiences the position of its publication in the change log, by which clients order audience
/// feeds; posts of the service itself contain it already.
///
/// It belongs before ``AudienceFeedOrder``.
struct AudienceFeedTime: Derivation {
    let place = AudienceNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let record = AudienceNodes.post() / post.keys[0]
        // A record without an author is not a post.
        guard try snapshot.exists(record / "author"), try !snapshot.exists(record / "published") else { return [] }
        // A post that was replaced keeps its position.
        let positions = try snapshot.children(of: AudienceNodes.positions(post.keys[0])).compactMap { row in
            row.value.stringValue.flatMap { PostPosition(key: TreeKey(unchecked: $0)) }
        }
        let sequence = positions.min()?.sequence ?? commit.token.sequence
        return [TreeWrite(path: record / "published", value: .integer(Int64(clamping: sequence)))]
    }
}

/// The members' copy of a post.
enum AudienceFeedCopy {
    /// Returns the record without its audiences: a member of one must not learn of the others.
    static func value(of record: TreeValue?) -> TreeValue? {
        guard var fields = record?.object else { return nil }
        fields["audiences"] = nil
        return fields.isEmpty ? nil : .object(fields)
    }

    /// Returns the correct value at `stories/{audience}/{post id}`; nil for none.
    static func value(
        for audience: TreeKey, ofPost id: TreeKey, in snapshot: TreeSnapshot
    ) throws(TreeError) -> TreeValue? {
        let record = try snapshot.get(AudienceNodes.post() / id)
        guard PostAudiences.named(by: record).contains(where: { $0.key == audience }) else { return nil }
        return value(of: record)
    }
}

/// Restores or removes copies that another writer has changed: an admin, or an import.
///
/// It belongs in the first stratum.
struct RestoredAudienceFeeds: Derivation {
    let place = AudienceNodes.story.pattern

    func writes(
        for entry: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let value = try AudienceFeedCopy.value(for: entry.keys[0], ofPost: entry.keys[1], in: snapshot)
        return [TreeWrite(path: place.path(filledWith: entry.keys), value: value)]
    }
}

/// Lists each post for audiences among its author's posts, and records that its photos are restricted.
struct AudiencePostIndex: Derivation {
    let place = TreePattern(AudienceNodes.post.path / "author" / "uid")

    func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        let id = node.keys[0]
        var writes: [TreeWrite] = []
        if node.before != node.after, case .leaf(.string(let text)) = node.before, let uid = UserID(text) {
            writes.append(TreeWrite(path: AudienceNodes.postBy(uid) / id, value: nil))
        }
        if case .leaf(.string(let text)) = node.after, let uid = UserID(text) {
            writes.append(TreeWrite(path: AudienceNodes.postBy(uid) / id, value: true))
            // This record stays when the post is deleted, because files may remain.
            writes.append(TreeWrite(path: AudienceNodes.restrictedMedia(id) / uid.key, value: true))
        }
        return writes
    }
}

/// Deletes a post with its last audience, because no member could see it.
struct EmptyAudiences: Derivation {
    let place = TreePattern(AudienceNodes.post.path / "audiences" / "*")

    func writes(
        for audience: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let post = AudienceNodes.post() / audience.keys[0]
        guard audience.isDeleted, try !snapshot.exists(post / "audiences") else { return [] }
        return [TreeWrite(path: post, value: nil)]
    }
}
