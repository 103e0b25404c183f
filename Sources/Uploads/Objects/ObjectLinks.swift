package import Model
package import Tree

/// The links between posts of clients and the uploads of the objects that they show: one record for each direction.
package enum ObjectLinks {
    /// Returns the upload whose photo a client's post shows; nil if it has none.
    package static func upload(ofPost id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> PostID? {
        try snapshot.get(ObjectNodes.link() / id.key)?.stringValue.flatMap { PostID($0) }
    }

    /// Returns the posts that show an object's photo, at most 1,000.
    package static func posts(ofObject upload: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> [PostID] {
        try snapshot.keys(of: ObjectNodes.post(upload), limit: 1000).compactMap { PostID($0.string) }
    }
}
