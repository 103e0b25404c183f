package import Tree
package import TreeModel

extension TreeSnapshot {
    /// The path of a post's record: among the posts for audiences, or among those for everybody; nil when there is
    /// none.
    package func path(ofPost id: PostID) throws(TreeError) -> TreePath? {
        // A post for audiences is never taken for another one, whatever somebody puts in the other place.
        for path in [AudienceNodes.post(id), PostNodes.post(id)] where try exists(path) { return path }
        return nil
    }

    /// Whether there is a post, for everybody or for audiences.
    package func hasPost(_ id: PostID) throws(TreeError) -> Bool { try path(ofPost: id) != nil }

    /// The record of a post, for everybody or for audiences; nil when there is none.
    package func record(ofPost id: PostID) throws(TreeError) -> TreeValue? {
        try path(ofPost: id).flatMap { path throws(TreeError) in try get(path) }
    }
}
