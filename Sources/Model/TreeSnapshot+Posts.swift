package import Tree
package import TreeModel

extension TreeSnapshot {
    /// Returns the path of a post's record: among the posts for audiences, or among those for everybody; nil if there
    /// is none.
    package func path(ofPost id: PostID) throws(TreeError) -> TreePath? {
        // The post for audiences comes first: a value at the other path never replaces it.
        for path in [AudienceNodes.post(id), PostNodes.post(id)] where try exists(path) { return path }
        return nil
    }

    /// Whether a post exists, for everybody or for audiences.
    package func hasPost(_ id: PostID) throws(TreeError) -> Bool { try path(ofPost: id) != nil }

    /// Returns the record of a post, for everybody or for audiences; nil if there is none.
    package func record(ofPost id: PostID) throws(TreeError) -> TreeValue? {
        try path(ofPost: id).flatMap { path throws(TreeError) in try get(path) }
    }
}
