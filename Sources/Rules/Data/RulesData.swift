package import TreeModel

/// A node of one state of a tree, as rules see it, whether it exists or not.
///
/// Rules read little of a node, so that it can be looked up when it is first read: creating one should cost next to
/// nothing.
package protocol RulesData: AnyObject {
    /// Returns the node below this one at a path: keys with `/` between.
    ///
    /// There is never a value at the empty path, or at one with an invalid key.
    func child(_ path: String) throws(TreeError) -> any RulesData

    /// Returns the node one level up; nil for the root.
    func parent() -> (any RulesData)?

    /// Returns the value of the node.
    func value() throws(TreeError) -> RulesScalar

    /// Whether the node exists.
    func exists() throws(TreeError) -> Bool

    /// Returns the priority of the node: null, a number or a string.
    func priority() throws(TreeError) -> RulesScalar

    /// Calls a function with the keys of the node's children, in any order, until it returns false.
    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError)
}

extension RulesData {
    package func exists() throws(TreeError) -> Bool {
        if case .null = try value() { false } else { true }
    }
}

/// The value of a node, or a bound of a query: everything about it that a rule can observe.
package enum RulesScalar: Hashable, Sendable {
    /// No value.
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    /// A node with children.
    case object
}
