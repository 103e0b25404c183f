package import TreeModel

/// The paths outside `posts/{id}` that name a post: those that a deletion removes, too.
package struct PostTraces {
    package let paths: Set<TreePath>

    /// Finds the paths from the post's present record, which clients may have changed, and from its upload.
    ///
    /// - Parameters:
    ///   - post: The record at `posts/{id}`; nil if it has been deleted.
    ///   - owner: The user who uploaded it, if known.
    ///   - text: The text with which it was uploaded, if known.
    package init(of id: PostID, post: TreeValue?, owner: UserID?, text: String?) {
        var paths: Set<TreePath> = []
        let author = post?["author"]?["uid"]?.stringValue.flatMap { UserID($0) }
        for user in [author, owner].compactMap({ $0 }) {
            paths.formUnion([PeopleNodes.ownPost(user) / id.key, FeedNodes.entry(user) / id.key])
        }
        for text in [post?["text"]?.stringValue, text].compactMap({ $0 }) {
            paths.formUnion(Hashtags.tags(in: text).map { PostNodes.tagged($0) / id.key })
        }
        self.paths = paths
    }
}
