package import Tree

/// Decides, in one state of the tree, which posts of a list are shown.
package protocol PostFilter: SendableMetatype {
    /// Whether a post may be shown, as far as that can be decided without its record. If it may not, the record
    /// is not read.
    mutating func mayShow(_ post: ListedPost) throws(TreeError) -> Bool

    /// Whether a post that may be shown is shown, given its record.
    mutating func shows(_ post: ListedPost, _ record: TreeValue) throws(TreeError) -> Bool
}

/// Shows every post.
struct EveryPost: PostFilter {
    func mayShow(_ post: ListedPost) -> Bool { true }

    func shows(_ post: ListedPost, _ record: TreeValue) -> Bool { true }
}

/// The approximate limits on the number of posts that one page skips, because they are deleted or not shown.
package struct PageBounds: Sendable {
    /// The number of posts whose records are read or not found.
    package let records: Int
    /// The number of posts that the filter skips without their records, which costs little.
    package let rows: Int

    package init(records: Int, rows: Int) {
        self.records = records
        self.rows = rows
    }

    static let unbounded = PageBounds(records: .max, rows: .max)
}
