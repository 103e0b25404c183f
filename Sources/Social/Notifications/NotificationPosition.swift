import Model
import Tree

/// The place of a notification or an announcement among all that a person is told of: a position in the change log, as
/// posts have one (``PostPosition``), so that the order of ids is the order of publication.
enum NotificationPosition {
    /// What makes notifications. Those of one commit have different numbers, each kind its own.
    enum Source: Int, CaseIterable {
        case like
        case comment
        case following
        case followers
        case letter
        case announcement
        case post
    }

    /// The id of what follows from one node of a commit; each recipient may have one of it.
    static func id(of node: ChangedNode, from source: Source, at commit: CommitPoint) -> PostPosition {
        PostPosition(sequence: commit.token.sequence, number: node.number * Source.allCases.count + source.rawValue)
    }
}

extension TreeSnapshot {
    /// The position of a new notification: this one, or behind the recipient's last, which another store may have given a
    /// higher one before it came here by an import.
    func position(_ position: PostPosition, behindLastOf recipient: UserID) throws(TreeError) -> PostPosition {
        let last = try keys(of: NotificationNodes.notification(recipient), order: .descending, limit: 1).first
        guard let last = last.flatMap({ PostPosition(key: $0) }), last.sequence > position.sequence else {
            return position
        }
        return PostPosition(sequence: last.sequence, number: Int(last.number) + 1)
    }
}
