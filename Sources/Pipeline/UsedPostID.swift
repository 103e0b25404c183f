import Posts
import Tree

/// Takes back a post that somebody writes at an id which was that of somebody else's upload: it would pass for the post that was
/// there, whose address, files and readers it would have.
///
/// It belongs into the first stratum, before all that looks at posts.
struct UsedPostID: Derivation {
    static let all: [any Derivation] = [Paths.posts, Paths.audiencePosts].map { UsedPostID(in: $0) }

    let place: TreePattern

    private init(in posts: TreePath) { place = TreePattern(posts / "*") }

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !post.before.isThere, post.after.isThere, let id = PostID(post.keys[0].string),
            let owner = try snapshot.get(Paths.upload(id) / "owner")
        else { return [] }
        let path = place.path(filledWith: post.keys)
        guard let author = try snapshot.get(path / "author" / "uid"), author != owner else { return [] }
        return [TreeWrite(path: path, value: nil)]
    }
}

/// Takes back a comment or a like that somebody writes at the id of an upload where no post is: it would stay with what was
/// deleted, or stand under a draft from its publication on.
///
/// It belongs into the first stratum, behind ``UsedPostID``, and before all that looks at comments and likes.
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
