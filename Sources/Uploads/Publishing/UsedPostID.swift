import Model
package import Tree

/// Refuses a post by another user at the id of an upload: it would be taken for the post that is or was there, with its
/// address, files and readers.
package struct UsedPostID: Constraint {
    package static let all: [any Constraint] = [PostNodes.post(), AudienceNodes.post()].map { UsedPostID(in: $0) }

    package let place: TreePattern
    package let reason = "the id belongs to another user's upload"

    private init(in posts: TreePath) { place = TreePattern(posts / "*" / "author" / "uid") }

    package func allows(_ author: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard author.before != author.after, let id = PostID(author.keys[0].string),
            let owner = try snapshot.get(UploadNodes.upload(id) / "owner")
        else { return true }
        return author.after == .leaf(owner)
    }
}
