package import TreeModel

/// The places beside `posts/{id}` that name a post: all that a deletion has to take along.
package struct PostTraces {
    package let paths: Set<TreePath>

    /// Finds the places by what the post says now, which clients may have changed, and by what it was made of.
    ///
    /// - Parameters:
    ///   - post: The record at `posts/{id}`; nil when it is gone.
    ///   - owner: Who uploaded it, if that is known.
    ///   - text: The text with which it was uploaded, if that is known.
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
