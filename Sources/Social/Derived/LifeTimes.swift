import API
import Model
import Tree

/// Maintains the times at which the entities of a kind were created and last changed (``EntityTimes``), for every
/// writer: a route, a client of the database, an import, or the service itself.
///
/// Every change of an entity's record counts, also one by the service: a new name of the author in a post, or new
/// renditions. A client that keeps a copy therefore learns by the time of the last change that its copy is out of date.
/// The time at which a person changed the text is `edited`, in the record.
///
/// It belongs in the last stratum, so that it sees what other derivations write.
struct LifeTimes: Derivation {
    /// The changes of an entity that count.
    enum Content {
        /// None: the entity exists or not.
        case none
        /// All changes in its record.
        case record
        /// All changes in its record, which itself contains the time of the creation.
        case datedRecord
    }

    let place: TreePattern
    let times: TreeNode
    private let content: Content

    /// - Parameter times: The node of the times, with the same keys as the entity's node.
    init(of entity: TreeNode, at times: TreeNode, changing content: Content = .record) {
        (place, self.times, self.content) = (entity.pattern, times, content)
    }

    var followsContent: Bool { content != .none }

    func writes(
        for entity: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let path = times.pattern.path(filledWith: entity.keys)
        switch (entity.before.isThere, entity.after.isThere) {
        case (false, true):
            guard content != .datedRecord else { return [] }
            return [TreeWrite(path: path, value: EntityTimes(created: commit.timestamp).value)]
        case (true, true):
            guard content != .none, entity.hasChanged else { return [] }
            return [try EntityTimes.change(at: path, commit, in: snapshot)]
        case (true, false): return [TreeWrite(path: path, value: nil)]
        case (false, false): return []
        }
    }

    /// The times of all kinds of entities. Those of likes are in the list of the posts that a person likes
    /// (``ReverseLink``).
    static let all: [LifeTimes] = [
        LifeTimes(of: PostNodes.post, at: TimeNodes.post),
        // A post's other audiences are not for its readers: see ``AudiencePostTimes``.
        LifeTimes(of: AudienceNodes.post, at: TimeNodes.audiencePost, changing: .none),
        LifeTimes(of: ReactionNodes.comment, at: TimeNodes.comment),
        // The records of people and audiences contain lists that are not part of them: see ``FieldTimes``.
        LifeTimes(of: PeopleNodes.person, at: TimeNodes.person, changing: .none),
        LifeTimes(of: PeopleNodes.following, at: TimeNodes.following, changing: .none),
        LifeTimes(of: PeopleNodes.blocking, at: TimeNodes.blocking, changing: .none),
        LifeTimes(of: AudienceNodes.audience, at: TimeNodes.audience, changing: .none),
        LifeTimes(of: AudienceNodes.member, at: TimeNodes.member),
        LifeTimes(of: NotificationNodes.notification, at: TimeNodes.notification, changing: .datedRecord),
        LifeTimes(of: NotificationNodes.announcement, at: TimeNodes.announcement),
        LifeTimes(of: UsageNodes.quota, at: TimeNodes.quota),
    ]
}

/// Maintains the time at which an entity was last changed by one of its fields: those of a person's profile, and those of
/// an audience without its members, who have times of their own.
///
/// It belongs after ``LifeTimes`` in the same stratum.
struct FieldTimes: Derivation {
    let place: TreePattern
    private let entity: TreeNode
    private let times: TreeNode

    private init(_ field: TreeKey, of entity: TreeNode, at times: TreeNode) {
        (place, self.entity, self.times) = (TreePattern(entity.path / field), entity, times)
    }

    static let all =
        ProfileChange.Field.allCases.map {
            FieldTimes(TreeKey(unchecked: $0.rawValue), of: PeopleNodes.person, at: TimeNodes.person)
        } + ["name", "kind"].map { FieldTimes($0, of: AudienceNodes.audience, at: TimeNodes.audience) }

    func writes(
        for field: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard field.before != field.after, try snapshot.exists(entity.pattern.path(filledWith: field.keys)) else {
            return []
        }
        return [try EntityTimes.change(at: times.pattern.path(filledWith: field.keys), commit, in: snapshot)]
    }

    /// Returns 0: the fields of an entity share one entry.
    func writeCount(for value: TreeValue?) -> Int { 0 }
}

/// Maintains the time at which a post for audiences was last changed: any field except the list of its audiences. The
/// members of one audience would else learn of changes of others.
///
/// It belongs after ``LifeTimes`` in the same stratum.
struct AudiencePostTimes: Derivation {
    let place = TreePattern(AudienceNodes.post.path / "*")
    let followsContent = true

    func writes(
        for field: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (post, name) = (field.keys[0], field.keys[1])
        // The same update may have removed a leaf and restored it.
        let hasChanged = field.after == .object ? field.hasChanged : field.before != field.after
        guard hasChanged, name != PostField.audiences.key, try snapshot.exists(AudienceNodes.post() / post) else {
            return []
        }
        return [try EntityTimes.change(at: TimeNodes.audiencePost() / post, commit, in: snapshot)]
    }

    /// Returns 0: the fields of a post share one entry.
    func writeCount(for value: TreeValue?) -> Int { 0 }
}

extension EntityTimes {
    /// Returns the write that records a change at the times of an entity.
    fileprivate static func change(
        at path: TreePath, _ commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> TreeWrite {
        TreeWrite(path: path, value: try EntityTimes(at: path, in: snapshot).changed(at: commit.timestamp).value)
    }
}

// MARK: - Repair

extension LifeTimes {
    /// Removes the times of deleted entities, and values that are no times. Times that are missing are not replaced:
    /// those in the record count then, or none.
    var removingTimes: RepairStage {
        RepairStage(place: times.pattern) { [place, times] node, snapshot throws(TreeError) in
            let entity = place.path(filledWith: times.pattern.wildcards(of: node))
            guard let value = try snapshot.get(node), EntityTimes(value) != nil, try snapshot.exists(entity) else {
                return [TreeWrite(path: node, value: nil)]
            }
            return []
        }.finding(.entryDangling)
    }
}
