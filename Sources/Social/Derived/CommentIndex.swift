import Model
import Tree

/// Maintains the list of each person's comments: at ``ReactionNodes/commented``, those that name the person as their
/// author.
struct CommentIndex: Derivation {
    let place = TreePattern(ReactionNodes.comment.path / "author" / "uid")

    func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard node.before != node.after else { return [] }
        func write(_ author: NodeState, _ value: TreeValue?) -> TreeWrite? {
            guard case .leaf(.string(let uid)) = author, let uid = UserID(uid) else { return nil }
            return TreeWrite(path: ReactionNodes.commented(uid) / node.keys[0] / node.keys[1], value: value)
        }
        return [write(node.before, nil), write(node.after, true)].compactMap { $0 }
    }
}
