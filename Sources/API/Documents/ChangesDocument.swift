package import TreeModel

/// A page of the commits to a part of the tree, oldest first.
package struct ChangesDocument: Document {
    /// A commit.
    package struct Change: Document {
        /// The position just after this commit, from which a client continues.
        package let token: String
        /// The time of the commit, in milliseconds since the epoch.
        package let timestamp: Int64
        package let writes: [Write]
    }

    package struct Write: Document {
        package let path: String
        /// The new value of the node at the path; null if the node was deleted.
        package let value: TreeValue?
    }

    package let changes: [Change]
    /// The position at which the next page begins.
    package let token: String
    /// Whether more commits may exist already.
    package let more: Bool
}
