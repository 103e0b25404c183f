import Model
import Tree

/// Lists each post among its author's posts and in the author's own feed, until it is deleted.
struct PostEntries: Derivation {
    let place = TreePattern(PostNodes.post.path / "author" / "uid")

    func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard node.before != node.after else { return [] }
        func writes(_ author: NodeState, _ value: TreeValue?) -> [TreeWrite] {
            guard case .leaf(.string(let uid)) = author, let uid = UserID(uid) else { return [] }
            return [PeopleNodes.ownPost(uid), FeedNodes.entry(uid)].map {
                TreeWrite(path: $0 / node.keys[0], value: value)
            }
        }
        return writes(node.before, nil) + writes(node.after, true)
    }
}

/// Protects the list of a person's posts against other writers: other entries are removed, and existing ones stay, also
/// when a client replaces the person's record.
///
/// It belongs in the first stratum.
struct OwnPosts: Derivation {
    let place = PeopleNodes.ownPost.pattern

    func writes(
        for entry: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (person, post) = (entry.keys[0], entry.keys[1])
        let isOwn = try snapshot.get(PostNodes.post() / post / "author" / "uid") == .string(person.string)
        return [TreeWrite(path: place.path(filledWith: entry.keys), value: isOwn ? true : nil)]
    }
}

/// Lists each post under the hashtags of its text.
struct HashtagIndex: Derivation {
    let place = TreePattern(PostNodes.post.path / "text")

    func writeCount(for value: TreeValue?) -> Int {
        if case .string(let text) = value { Hashtags.tags(in: text).count } else { 1 }
    }

    func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard node.before != node.after else { return [] }
        func tags(_ text: NodeState) -> Set<TreeKey> {
            if case .leaf(.string(let text)) = text { Set(Hashtags.tags(in: text)) } else { [] }
        }
        let (before, after) = (tags(node.before), tags(node.after))
        return before.subtracting(after).map { TreeWrite(path: PostNodes.tagged($0) / node.keys[0], value: nil) }
            + after.subtracting(before).map { TreeWrite(path: PostNodes.tagged($0) / node.keys[0], value: true) }
    }
}
