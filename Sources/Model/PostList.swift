package import Tree

/// A list of posts in the order of publication.
package protocol PostList: Sendable {
    /// Returns rows of the list, the last published first: the ids by the positions.
    func rows(in range: KeyRange, limit: Int, from snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild]

    /// Returns the record of a post that the list names; nil if it was deleted, or does not belong in the list.
    func record(of post: ListedPost, from snapshot: TreeSnapshot) throws(TreeError) -> TreeValue?

    /// The nodes of the times of the posts (``EntityTimes``).
    var times: TreeNode { get }
}

/// A list that is kept in the tree.
package struct StoredPostList: PostList {
    /// The ids by the positions.
    private let list: TreePath
    /// The records by the ids.
    private let records: TreePath
    package let times: TreeNode

    package init(_ list: TreePath, records: TreePath = PostNodes.post(), times: TreeNode = TimeNodes.post) {
        self.list = list
        self.records = records
        self.times = times
    }

    package func rows(in range: KeyRange, limit: Int, from snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        try snapshot.children(of: list, range: range, order: .descending, limit: limit)
    }

    package func record(of post: ListedPost, from snapshot: TreeSnapshot) throws(TreeError) -> TreeValue? {
        try snapshot.get(records / post.id)
    }
}
