import Model
package import Tree

/// Work that is too much for the commit that causes it, such as renaming the copies of a name, or removing the traces
/// of a deleted post.
///
/// A derivation writes the follow-up task's record in the commit of its cause, so that no task is lost;
/// ``FollowUpTaskWorker`` performs it in steps, each one update. A step reads the present state, and not the state when
/// the task began, so that a repeated step changes nothing.
protocol FollowUpTask: Sendable {
    static var kind: FollowUpTaskKind { get }

    /// Performs a part of the work, with at most ``FollowUpTaskStep/maxWrites`` writes.
    ///
    /// - Parameter task: The subject of the work, and the position at which the previous step ended.
    /// - Returns: The position at which the next step begins; nil when the work is complete.
    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String?
}

enum FollowUpTaskStep {
    /// The largest number of writes of one step, in nodes; other writers wait meanwhile.
    static let maxWrites = 500
}

/// The kinds of follow-up tasks.
package enum FollowUpTaskKind: String, CaseIterable, Sendable {
    /// Updates the person's name and picture in their posts and comments, and in the notifications of their actions.
    case rename
    /// Removes the likes, comments and feed entries of a deleted post.
    case deletePost = "delete-post"
    /// Adds the earlier posts of a followee to the feed of a follower.
    case backfill
    /// Removes the posts of a former followee from a feed.
    case unfollow
    /// Removes all data of a person and about them.
    case deletePerson = "delete-person"
    /// Removes a deleted audience from its posts.
    case deleteAudience = "delete-audience"
    /// Adds the posts to a home feed that were too many for one reading.
    case home

    var path: TreePath { WorkNodes.followUpTask() / TreeKey(unchecked: rawValue) }

    /// Whether it belongs to a deletion, and therefore runs also when the disk is full.
    var makesRoom: Bool {
        switch self {
        case .deletePost, .deletePerson, .deleteAudience, .unfollow: true
        case .rename, .backfill, .home: false
        }
    }
}

/// The subject of a follow-up task: one key, or two.
package struct FollowUpTaskSubject: Hashable, Sendable, CustomStringConvertible {
    /// The keys, separated by a space.
    package let key: TreeKey

    var parts: [Substring] { key.string.split(separator: " ") }

    package var description: String { key.string }

    /// Creates the subject for a post or a person.
    init(_ key: TreeKey) { self.key = key }

    /// Creates the subject for two people; follow-up tasks are searched by the first.
    init(_ first: UserID, _ second: UserID) { key = TreeKey(unchecked: "\(first) \(second)") }

    /// The two people; nil for a subject of one key.
    var people: (UserID, UserID)? {
        let people = parts.compactMap { UserID(String($0)) }
        return people.count == 2 ? (people[0], people[1]) : nil
    }

    /// Returns the keys of follow-up tasks with this first person, after those with a second person.
    static func range(of first: UserID, after second: UserID?) -> (prefix: String, range: KeyRange) {
        let prefix = "\(first) "
        guard let second else { return (prefix, .from(TreeKey(unchecked: prefix))) }
        return (prefix, .after(TreeKey(unchecked: prefix + second.description)))
    }
}

/// A follow-up task that is not complete.
package struct PendingFollowUpTask: Hashable, Sendable {
    package let kind: FollowUpTaskKind
    package let subject: FollowUpTaskSubject
    /// The time of its cause.
    package let since: Timestamp
    /// The data of the cause that a step needs; nil for none.
    let cause: String?
    /// The position at which the last step ended; nil before the first.
    let position: String?
    /// The earliest time of the next attempt after a failure.
    let due: Timestamp
    /// The number of failed steps in a row.
    package let attempts: Int
    /// The last failure; nil for none.
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

    /// Returns the writes with which a derivation starts a follow-up task, or restarts one that is in progress.
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

    /// Returns the write that ends a follow-up task.
    static func ending(_ kind: FollowUpTaskKind, _ subject: FollowUpTaskSubject) -> TreeWrite {
        TreeWrite(path: kind.path / subject.key, value: nil)
    }
}

extension PendingFollowUpTask {
    /// Reads a follow-up task; nil if it is complete.
    init?(_ kind: FollowUpTaskKind, _ subject: FollowUpTaskSubject, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(kind.path / subject.key) else { return nil }
        self.init(kind, TreeChild(key: subject.key, value: record))
    }
}
