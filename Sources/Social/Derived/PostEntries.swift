import Model
import Tree

/// Lists each post among its author's posts and in the author's own feed, as long as it is there.
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

/// Keeps the list of a person's posts as it is, whoever writes there: what is not that person's post is not in it, and what is
/// stays, also when a client replaces the person.
///
/// It belongs into the first stratum.
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

/// Lists each post at the hashtags of its text, as long as it has them.
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
