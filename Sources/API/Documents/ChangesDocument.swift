package import TreeModel

/// A page of the commits to a part of the tree, oldest first.
package struct ChangesDocument: Document {
    /// A commit.
    package struct Change: Document {
        /// The token with which to continue after this commit.
        package let token: String
        /// The time of the commit, in milliseconds since the epoch.
        package let timestamp: Int64
        package let writes: [Write]
    }

    package struct Write: Document {
        package let path: String
        /// The new value; null if it was deleted.
        package let value: TreeValue?
    }

    package let changes: [Change]
    /// The token with which to continue.
    package let token: String
    /// Whether more commits are available already.
    package let more: Bool
}
