package import TreeModel

/// An index that `.indexOn` requests: an order of the children of a node.
package enum RulesIndex: Hashable, Sendable {
    /// The order by the children's values.
    case value
    /// The order by the values at these paths below the children, the first path first.
    case children([TreePath])
}
