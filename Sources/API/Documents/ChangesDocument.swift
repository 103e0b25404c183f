package import TreeModel

/// What was committed to a part of the tree, oldest first.
package struct ChangesDocument: Document {
    /// One commit.
    package struct Change: Document {
        /// From where to go on after it.
        package let token: String
        /// The time of the commit, in milliseconds since the epoch.
        package let timestamp: Int64
        package let writes: [Write]
    }

    package struct Write: Document {
        package let path: String
        /// Null when it was deleted.
        package let value: TreeValue?
    }

    package let changes: [Change]
    /// From where to go on.
    package let token: String
    /// Whether more is there already.
    package let more: Bool
}
