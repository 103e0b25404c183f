package import TreeModel

/// A state of a tree whose nodes are read by their paths.
package protocol RulesTree {
    /// Returns the value at a path.
    func value(at path: TreePath) throws(TreeError) -> RulesScalar

    /// Returns the priority of the node at a path.
    func priority(at path: TreePath) throws(TreeError) -> RulesScalar

    /// Returns the keys of the children at a path, in any order.
    func childKeys(at path: TreePath) throws(TreeError) -> [TreeKey]
}

extension JSONRulesTree: RulesTree {
    private func node(at path: TreePath) -> Node? { path.keys.reduce(top) { $0?.children[$1] } }

    package func value(at path: TreePath) -> RulesScalar { node(at: path)?.scalar ?? .null }

    package func priority(at path: TreePath) -> RulesScalar { node(at: path)?.priority ?? .null }

    package func childKeys(at path: TreePath) -> [TreeKey] { node(at: path).map { Array($0.children.keys) } ?? [] }
}

/// A node of a ``RulesTree``.
final class RulesTreeNode: RulesData {
    private let tree: any RulesTree
    private let path: TreePath
    /// The node from which a path without a node was followed; nil for an existing node.
    private let origin: RulesTreeNode?

    private init(_ tree: any RulesTree, at path: TreePath, nowhereFrom origin: RulesTreeNode? = nil) {
        self.tree = tree
        self.path = path
        self.origin = origin
    }

    convenience init(rootOf tree: any RulesTree) { self.init(tree, at: .root) }

    func child(_ path: String) -> any RulesData {
        guard origin == nil, let keys = RulesPath.keys(of: path) else {
            return RulesTreeNode(tree, at: self.path, nowhereFrom: self)
        }
        return RulesTreeNode(tree, at: TreePath(self.path.keys + keys))
    }

    func parent() -> (any RulesData)? {
        if let origin { return origin }
        return path.parent.map { RulesTreeNode(tree, at: $0) }
    }

    func value() throws(TreeError) -> RulesScalar { origin == nil ? try tree.value(at: path) : .null }

    func priority() throws(TreeError) -> RulesScalar { origin == nil ? try tree.priority(at: path) : .null }

    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError) {
        guard origin == nil else { return }
        for key in try tree.childKeys(at: path).sorted() {
            guard try body(key.string) else { return }
        }
    }
}
