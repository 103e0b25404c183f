package import Tree

/// Tells, in one state of the tree, which posts of a list are shown.
package protocol PostFilter: SendableMetatype {
    /// Whether a post may be shown, as far as that is known without its record. The record of one that may not is not read.
    mutating func mayShow(_ post: ListedPost) throws(TreeError) -> Bool

    /// Whether a post that may be shown is, by its record.
    mutating func shows(_ post: ListedPost, _ record: TreeValue) throws(TreeError) -> Bool
}

/// Shows every post.
struct EveryPost: PostFilter {
    func mayShow(_ post: ListedPost) -> Bool { true }

    func shows(_ post: ListedPost, _ record: TreeValue) -> Bool { true }
}

/// About how much one page passes over at most, of what is gone or not to be shown.
package struct PageBounds: Sendable {
    /// The posts whose records are read or looked for in vain.
    package let records: Int
    /// The posts that the filter tells without their records, which costs little.
    package let rows: Int

    package init(records: Int, rows: Int) {
        self.records = records
        self.rows = rows
    }

    static let unbounded = PageBounds(records: .max, rows: .max)
}
