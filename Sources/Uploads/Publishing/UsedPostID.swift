import Model
package import Tree

/// Refuses a post by somebody else at the id of an upload: it would pass for the post that is or was there, whose address, files
/// and readers it would have.
package struct UsedPostID: Constraint {
    package static let all: [any Constraint] = [PostNodes.post(), AudienceNodes.post()].map { UsedPostID(in: $0) }

    package let place: TreePattern
    package let reason = "the id is that of an upload by somebody else"

    private init(in posts: TreePath) { place = TreePattern(posts / "*" / "author" / "uid") }

    package func allows(_ author: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard author.before != author.after, let id = PostID(author.keys[0].string),
            let owner = try snapshot.get(UploadNodes.upload(id) / "owner")
        else { return true }
        return author.after == .leaf(owner)
    }
}
