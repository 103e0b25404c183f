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
