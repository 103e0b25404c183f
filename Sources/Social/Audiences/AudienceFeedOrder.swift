import Model
import Tree

/// Brings each post for audiences to the stories of these, in the commits that add, change and delete it, whoever makes
/// them: a copy for their members, and its place in the order of publication.
///
///     stories/{audience}/{post id}                              = the post, without its audiences
///     stories/{audience}/{position}         in the own tree     = post id
///     story_positions/{post id}/{audience}  in the own tree     = position
///
/// A post that gets one more audience later gets the position of that there: whoever has read the story before finds it
/// behind what they have.
struct AudienceFeedOrder: Derivation {
    let place = AudienceNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let position = PostPosition(sequence: commit.token.sequence, number: post.number)
        return try Self.writes(for: post.keys[0], at: position, in: snapshot)
    }

    /// The writes that bring one post to its stories, as it is now.
    ///
    /// - Parameter position: The position of the post in stories that did not have it.
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

    /// The position for a post that lacks one: that at which it says to have been published. Several of one commit are told
    /// apart by their ids.
    static func positionOfRepair(_ id: TreeKey, _ snapshot: TreeSnapshot) throws(TreeError) -> PostPosition {
        let published = try snapshot.get(AudienceNodes.post() / id / "published")?.integerValue
        let last = try snapshot.token.sequence
        // FNV-1a, 32 bits.
        let number = id.string.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return PostPosition(sequence: published.flatMap { UInt64(exactly: $0) } ?? last, number: Int(number))
    }
}

/// Has each post for audiences say at which position of the change log it was published, by which clients have stories in order;
/// what the service posts says so itself.
///
/// It belongs before ``AudienceFeedOrder``.
struct AudienceFeedTime: Derivation {
    let place = AudienceNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let record = AudienceNodes.post() / post.keys[0]
        // What nobody has written is none.
        guard try snapshot.exists(record / "author"), try !snapshot.exists(record / "published") else { return [] }
        // One that was replaced stays where it was.
        let positions = try snapshot.children(of: AudienceNodes.positions(post.keys[0])).compactMap { row in
            row.value.stringValue.flatMap { PostPosition(key: TreeKey(unchecked: $0)) }
        }
        let sequence = positions.min()?.sequence ?? commit.token.sequence
        return [TreeWrite(path: record / "published", value: .integer(Int64(clamping: sequence)))]
    }
}

/// What the members of an audience see of a post.
enum AudienceFeedCopy {
    /// The record without the audiences that it names: whoever is a member of one need not know of the others.
    static func value(of record: TreeValue?) -> TreeValue? {
        guard var fields = record?.object else { return nil }
        fields["audiences"] = nil
        return fields.isEmpty ? nil : .object(fields)
    }

    /// What has to stand at `stories/{audience}/{post id}`; nil for nothing.
    static func value(
        for audience: TreeKey, ofPost id: TreeKey, in snapshot: TreeSnapshot
    ) throws(TreeError) -> TreeValue? {
        let record = try snapshot.get(AudienceNodes.post() / id)
        guard PostAudiences.named(by: record).contains(where: { $0.key == audience }) else { return nil }
        return value(of: record)
    }
}

/// Puts the copy back, or takes away what is none, when somebody else has written where copies stand: an admin, or an
/// import.
///
/// It belongs into the first stratum.
struct RestoredAudienceFeeds: Derivation {
    let place = AudienceNodes.story.pattern

    func writes(
        for entry: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let value = try AudienceFeedCopy.value(for: entry.keys[0], ofPost: entry.keys[1], in: snapshot)
        return [TreeWrite(path: place.path(filledWith: entry.keys), value: value)]
    }
}

/// Lists each post for audiences among its author's, and remembers that the photos of it are not for everybody.
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
            // It stays when the post goes, as long as there may be files.
            writes.append(TreeWrite(path: AudienceNodes.restrictedMedia(id) / uid.key, value: true))
        }
        return writes
    }
}

/// Deletes a post with its last audience: nobody would see it any more.
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
