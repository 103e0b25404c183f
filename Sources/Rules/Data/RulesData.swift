package import TreeModel

/// A node of one state of a tree, as rules see it, whether something is there or not.
///
/// Rules ask for little, so that a node can be looked up when it is asked for: making one should cost next to nothing.
package protocol RulesData: AnyObject {
    /// The node below this one at a path: keys with `/` between.
    ///
    /// At the empty path, and at one with something that is no key, there is never anything.
    func child(_ path: String) throws(TreeError) -> any RulesData

    /// The node one level up; nil for the root.
    func parent() -> (any RulesData)?

    /// What stands at the node.
    func value() throws(TreeError) -> RulesScalar

    /// Whether anything stands at the node.
    func exists() throws(TreeError) -> Bool

    /// The priority of the node: null, a number or a string.
    func priority() throws(TreeError) -> RulesScalar

    /// Calls a function with the keys of the node's children, in any order, until it returns false.
    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError)
}

extension RulesData {
    package func exists() throws(TreeError) -> Bool {
        if case .null = try value() { false } else { true }
    }
}

/// What stands at a node, or bounds a query: everything about it that a rule can tell.
package enum RulesScalar: Hashable, Sendable {
    /// Nothing.
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    /// There are children.
    case object
}
