// What RowEncoder keeps of the containers that are open.

extension RowEncoder {
    /// Whether the text is what one node becomes, or several.
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

    /// The role of the value that comes next.
    enum Role {
        case node
        /// The values of `.value`, `.priority`, `.sv` and `increment`.
        case value, priority, serverValue, increment
    }

    struct Frame {
        var container: Container
        /// The role of the container itself.
        let role: Role
        /// The length of ``path`` at this node.
        let pathLength: Int
        /// The rows that were there before the node's.
        let start: WriteBuilder.Position
        var hasPriority = false
        var hasLeaf = false
        var hasChildren = false
        var keys = KeySet()
    }
}
