package import TreeModel

/// A state of a tree in memory, for tests of rules.
///
/// It is read from the export form: lists are objects with the keys 0, 1, 2 …, `.value` and `.priority` are the value
/// and the priority of a node; null and empty values do not exist.
package struct JSONRulesTree: Sendable {
    /// An existing node.
    struct Node: Sendable {
        var scalar = RulesScalar.object
        var priority = RulesScalar.null
        var children: [TreeKey: Node] = [:]
    }

    /// The largest depth of a tree, in keys.
    private static let maxDepth = TreePath.maxDepth

    private(set) var top: Node?

    /// Creates a tree from a value.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key` or `too_large`.
    package init(_ json: JSONValue = .null) throws(TreeError) {
        top = try Self.node(json, depth: 0)
    }

    private static func node(_ json: JSONValue, depth: Int) throws(TreeError) -> Node? {
        try checkDepth(depth)
        var node = Node()
        switch json {
        case .null: return nil
        case .bool(let bool): node.scalar = .bool(bool)
        case .integer(let integer): node.scalar = .number(Double(integer))
        case .double(let double): node.scalar = .number(double)
        case .string(let string): node.scalar = .string(string)
        case .list(let list):
            for (index, element) in list.enumerated() {
                node.children[TreeKey(unchecked: "\(index)")] = try self.node(element, depth: depth + 1)
            }
        case .object(let object):
            for (name, member) in object where name != ".priority" && name != ".value" {
                node.children[try TreeKey(name)] = try self.node(member, depth: depth + 1)
            }
            if node.children.isEmpty {
                guard let scalar = object[".value"], let leaf = try self.node(scalar, depth: depth) else { return nil }
                node.scalar = leaf.scalar
            }
            if let priority = object[".priority"], let leaf = try self.node(priority, depth: depth) {
                node.priority = leaf.scalar
            }
        }
        guard case .object = node.scalar else { return node }
        return node.children.isEmpty ? nil : node
    }

    private static func checkDepth(_ depth: Int) throws(TreeError) {
        guard depth <= maxDepth else {
            throw TreeError(.tooLarge, "the data are more than \(maxDepth) keys deep", hint: "Store them less deeply.")
        }
    }

    /// Replaces the value at a path.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key` or `too_large`.
    package mutating func set(_ path: [String], to json: JSONValue) throws(TreeError) {
        try Self.checkDepth(path.count)
        var keys: [TreeKey] = []
        for key in path { keys.append(try TreeKey(key)) }
        top = Self.setting(keys[...], to: try Self.node(json, depth: path.count), in: top)
    }

    private static func setting(_ path: ArraySlice<TreeKey>, to value: Node?, in node: Node?) -> Node? {
        guard let key = path.first else { return value }
        var changed = node ?? Node()
        changed.children[key] = setting(path.dropFirst(), to: value, in: changed.children[key])
        // A node with a child has no value; a node without either is deleted.
        if !changed.children.isEmpty { changed.scalar = .object }
        if changed.children.isEmpty, changed.scalar == .object { return nil }
        return changed
    }

    /// The root, as rules see it.
    package var data: any RulesData { JSONRulesData(top, parent: nil) }
}

/// A node of a ``JSONRulesTree``.
private final class JSONRulesData: RulesData {
    private let node: JSONRulesTree.Node?
    private let above: JSONRulesData?

    init(_ node: JSONRulesTree.Node?, parent: JSONRulesData?) {
        self.node = node
        above = parent
    }

    func child(_ path: String) throws(TreeError) -> any RulesData {
        guard let path = try? TreePath(path), !path.isRoot else { return JSONRulesData(nil, parent: self) }
        return path.keys.reduce(self) { JSONRulesData($0.node?.children[$1], parent: $0) }
    }

    func parent() -> (any RulesData)? { above }

    func value() throws(TreeError) -> RulesScalar { node?.scalar ?? .null }

    func priority() throws(TreeError) -> RulesScalar { node?.priority ?? .null }

    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError) {
        for key in (node?.children ?? [:]).keys {
            guard try body(key.string) else { return }
        }
    }
}
