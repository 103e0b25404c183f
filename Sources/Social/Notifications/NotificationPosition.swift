import Model
import Tree

/// The position of a notification or an announcement among all of a person's notifications: a position in the change
/// log, like that of posts (``PostPosition``), so that the order of ids is the order of publication.
enum NotificationPosition {
    /// The sources of notifications. Notifications of one commit have different numbers, each source its own.
    enum Source: Int, CaseIterable {
        case like
        case comment
        case following
        case followers
        case letter
        case announcement
        case post
    }

    /// Returns the id of a notification of one node of a commit; each recipient may have one notification with it.
    static func id(of node: ChangedNode, from source: Source, at commit: CommitPoint) -> PostPosition {
        PostPosition(sequence: commit.token.sequence, number: node.number * Source.allCases.count + source.rawValue)
    }
}

extension TreeSnapshot {
    /// Returns the position of a new notification: the given one, or the next after the recipient's last. The last may
    /// be higher if it was imported from another store.
    func position(_ position: PostPosition, behindLastOf recipient: UserID) throws(TreeError) -> PostPosition {
        let last = try keys(of: NotificationNodes.notification(recipient), order: .descending, limit: 1).first
        guard let last = last.flatMap({ PostPosition(key: $0) }), last.sequence > position.sequence else {
            return position
        }
        return PostPosition(sequence: last.sequence, number: Int(last.number) + 1)
    }
}
