// The state of RowEncoder for open containers.

extension RowEncoder {
    /// The kind of text: the value of one node, or an update of several.
    enum Form {
        case value
        case update
    }

    enum Container {
        /// The outermost object of an update.
        case update
        case object
        case array(next: Int32)
        /// `{".sv": …}`
        case serverValue
        /// `{".sv": {"increment": …}}`
        case increment
    }

    /// The role of the next value.
    enum Role {
        case node
        /// The values of `.value`, `.priority`, `.sv` and `increment`.
        case value, priority, serverValue, increment
    }

    struct Frame {
        var container: Container
        /// The role of the container itself.
        let role: Role
        /// The length of ``path`` at the container's node.
        let pathLength: Int
        /// The position in the writer before the container's rows.
        let start: WriteBuilder.Position
        var hasPriority = false
        var hasLeaf = false
        var hasChildren = false
        var keys = KeySet()
    }
}
