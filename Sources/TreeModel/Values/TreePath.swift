/// The path of a node in the tree: the keys from the root to the node.
public struct TreePath: Hashable, Sendable {
    /// The largest number of keys in a stored path.
    public static let maxDepth = 32
    /// The path of the whole tree.
    public static let root = TreePath([])

    /// The tree that the path is in.
    public var namespace: Namespace
    /// The keys, from the root down.
    public var keys: [TreeKey]

    /// Creates a path from valid keys; the store refuses paths deeper than ``maxDepth`` when they are used.
    public init(_ keys: [TreeKey], in namespace: Namespace = .main) {
        self.namespace = namespace
        self.keys = keys
    }

    /// Parses a path such as "a/b/c". Empty segments are ignored: "/a//b/" is "a/b", and "" is the root.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key`, or `too_large` for more than ``maxDepth`` keys.
    public init(_ string: String, in namespace: Namespace = .main) throws(TreeError) {
        var keys: [TreeKey] = []
        // Scalars are used because "/" and a following combining accent would be a single character.
        for segment in string.unicodeScalars.split(separator: "/") {
            keys.append(try TreeKey(String(segment)))
        }
        self.init(keys, in: namespace)
        try checkDepth()
    }

    package func checkDepth() throws(TreeError) {
        guard depth <= Self.maxDepth else {
            throw TreeError(
                .tooLarge, "the path has \(depth) keys; the limit is \(Self.maxDepth)",
                hint: "Store the data less deeply.")
        }
    }

    /// The number of keys; 0 for the root.
    public var depth: Int { keys.count }
    /// Whether this is the root path.
    public var isRoot: Bool { keys.isEmpty }
    /// The last key; nil for the root.
    public var lastKey: TreeKey? { keys.last }
    /// The path one level up; nil for the root.
    public var parent: TreePath? { isRoot ? nil : TreePath(Array(keys.dropLast()), in: namespace) }

    /// Whether another path is strictly below this one.
    public func isAncestor(of other: TreePath) -> Bool {
        depth < other.depth && namespace == other.namespace && other.keys.starts(with: keys)
    }

    /// Returns the path with the keys of another one appended, in this path's namespace.
    public func appending(_ other: TreePath) -> TreePath { TreePath(keys + other.keys, in: namespace) }

    /// Returns the path with a key appended.
    public static func / (path: TreePath, key: TreeKey) -> TreePath { TreePath(path.keys + [key], in: path.namespace) }

    /// Returns the path with a push id appended.
    public static func / (path: TreePath, id: PushID) -> TreePath { path / id.key }
}

extension TreePath: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a path from a string literal; an invalid path is a programming error and traps.
    public init(stringLiteral value: StaticString) {
        do {
            try self.init(value.description)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The path with a slash before each key; "/" for the root.
    public var description: String {
        isRoot ? "/" : keys.map { "/\($0)" }.joined()
    }
}
