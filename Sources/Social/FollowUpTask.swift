import Model
package import Tree

/// Work that is too much for the commit that causes it: the copies of a name, what is left of a deleted post.
///
/// A derivation writes the follow-up task's record in the commit of its cause, so that none is lost; ``FollowUpTaskWorker``
/// does it in steps, each one update. A step looks at what there is now, and not at what there was when the follow-up task
/// began, so that doing one again changes nothing.
protocol FollowUpTask: Sendable {
    static var kind: FollowUpTaskKind { get }

    /// Does a part of the work, of at most ``FollowUpTaskStep/maxWrites`` writes.
    ///
    /// - Parameter task: Whom or what the work is about, and where the step before ended.
    /// - Returns: Where the next step begins; nil when nothing is left to do.
    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String?
}

enum FollowUpTaskStep {
    /// The most writes of one step, in nodes: others' writes wait meanwhile.
    static let maxWrites = 500
}

/// The kinds of follow-up tasks.
package enum FollowUpTaskKind: String, CaseIterable, Sendable {
    /// Gives the posts and comments of a person, and the notifications of what they do, the person's present name and picture.
    case rename
    /// Removes the likes, comments and feed entries of a post that is gone.
    case deletePost = "delete-post"
    /// Brings the earlier posts of a followee into the feed of a follower.
    case backfill
    /// Removes the posts of somebody who is not followed any more from a feed.
    case unfollow
    /// Removes all that somebody has made or that is about them.
    case deletePerson = "delete-person"
    /// Takes an audience that is gone off its posts.
    case deleteAudience = "delete-audience"
    /// Brings into a home feed what was too much for a reading.
    case home

    var path: TreePath { WorkNodes.followUpTask() / TreeKey(unchecked: rawValue) }

    /// Whether it is the work of a deletion, which is done on a full disk, too.
    var makesRoom: Bool {
        switch self {
        case .deletePost, .deletePerson, .deleteAudience, .unfollow: true
        case .rename, .backfill, .home: false
        }
    }
}

/// The subject of a follow-up task: one key, or two.
package struct FollowUpTaskSubject: Hashable, Sendable, CustomStringConvertible {
    /// The keys, with a space between.
    package let key: TreeKey

    var parts: [Substring] { key.string.split(separator: " ") }

    package var description: String { key.string }

    /// A post or a person.
    init(_ key: TreeKey) { self.key = key }

    /// Two people, of whom the first is the one by whom follow-up tasks are looked for.
    init(_ first: UserID, _ second: UserID) { key = TreeKey(unchecked: "\(first) \(second)") }

    /// The two people.
    var people: (UserID, UserID)? {
        let people = parts.compactMap { UserID(String($0)) }
        return people.count == 2 ? (people[0], people[1]) : nil
    }

    /// The keys of follow-up tasks of which the first person is this one, behind those of a second person.
    static func range(of first: UserID, after second: UserID?) -> (prefix: String, range: KeyRange) {
        let prefix = "\(first) "
        guard let second else { return (prefix, .from(TreeKey(unchecked: prefix))) }
        return (prefix, .after(TreeKey(unchecked: prefix + second.description)))
    }
}

/// A follow-up task that is left to do.
package struct PendingFollowUpTask: Hashable, Sendable {
    package let kind: FollowUpTaskKind
    package let subject: FollowUpTaskSubject
    /// When it was caused.
    package let since: Timestamp
    /// What a step has to know of the cause; nil for nothing.
    let cause: String?
    /// Where the last step ended; nil before the first.
    let position: String?
    /// The time before which a follow-up task that has failed is not tried again.
    let due: Timestamp
    /// How often a step of it has failed, one after the other.
    package let attempts: Int
    /// The last failure; nil when there was none.
    package let error: String?

    var path: TreePath { kind.path / subject.key }

    init(_ kind: FollowUpTaskKind, _ record: TreeChild) {
        self.kind = kind
        subject = FollowUpTaskSubject(record.key)
        since = record.value["since"]?.timestampValue ?? .epoch
        cause = record.value["cause"]?.stringValue
        position = record.value["position"]?.stringValue
        due = record.value["due"]?.timestampValue ?? .epoch
        attempts = Int(clamping: record.value["attempts"]?.integerValue ?? 0)
        error = record.value["error"]?.stringValue
    }

    /// The writes with which a derivation has a follow-up task done, from the beginning if it was under way.
    static func writes(
        _ kind: FollowUpTaskKind, _ subject: FollowUpTaskSubject, at commit: CommitPoint, cause: String? = nil
    ) -> [TreeWrite] {
        let path = kind.path / subject.key
        var writes = [
            TreeWrite(path: path, value: nil),
            TreeWrite(path: path / "since", value: commit.timestamp.value),
        ]
        if let cause { writes.append(TreeWrite(path: path / "cause", value: .string(cause))) }
        return writes
    }

    /// The write with which a follow-up task is not done any more.
    static func ending(_ kind: FollowUpTaskKind, _ subject: FollowUpTaskSubject) -> TreeWrite {
        TreeWrite(path: kind.path / subject.key, value: nil)
    }
}

extension PendingFollowUpTask {
    /// Reads a follow-up task that is left to do; nil when it is done.
    init?(_ kind: FollowUpTaskKind, _ subject: FollowUpTaskSubject, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(kind.path / subject.key) else { return nil }
        self.init(kind, TreeChild(key: subject.key, value: record))
    }
}
