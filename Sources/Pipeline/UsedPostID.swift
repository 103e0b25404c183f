import Posts
import Tree

/// Refuses a post by somebody else at the id of an upload: it would pass for the post that is or was there, whose address, files
/// and readers it would have.
struct UsedPostID: Constraint {
    static let all: [any Constraint] = [Paths.posts, Paths.audiencePosts].map { UsedPostID(in: $0) }

    let place: TreePattern
    let reason = "the id is that of an upload by somebody else"

    private init(in posts: TreePath) { place = TreePattern(posts / "*" / "author" / "uid") }

    func allows(_ author: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard author.before != author.after, let id = PostID(author.keys[0].string),
            let owner = try snapshot.get(Paths.upload(id) / "owner")
        else { return true }
        return author.after == .leaf(owner)
    }
}

/// Takes back a comment or a like that somebody writes at the id of an upload where no post is: it would stay with what was
/// deleted, or stand under a draft from its publication on.
///
/// It belongs into the first stratum, before all that looks at comments and likes.
struct WordsWithoutPost: Derivation {
    static let all: [any Derivation] = ["comments/*/*", "likes/*/*"].map { WordsWithoutPost(at: TreePattern($0)) }

    let place: TreePattern

    private init(at place: TreePattern) { self.place = place }

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !node.before.isThere, node.after.isThere, let id = PostID(node.keys[0].string),
            try snapshot.exists(Paths.upload(id) / "owner"),
            try !snapshot.hasAny(of: [Paths.post(id), Paths.audiencePosts / id.key])
        else { return [] }
        return [TreeWrite(path: place.path(filledWith: node.keys), value: nil)]
    }
}
