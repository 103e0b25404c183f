package import TreeModel

/// What `.indexOn` asks for: an order of the children of a node.
package enum RulesIndex: Hashable, Sendable {
    /// The order by the children's values.
    case value
    /// The order by the values at these paths below the children, by the first one first.
    case children([TreePath])
}
