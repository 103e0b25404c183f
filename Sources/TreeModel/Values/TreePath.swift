/// The path of a node in the tree: the keys on the way from the root.
public struct TreePath: Hashable, Sendable {
    /// The deepest path that is stored, in keys.
    public static let maxDepth = 32
    /// The path of the whole tree.
    public static let root = TreePath([])

    /// The tree that the path is in.
    public var namespace: Namespace
    /// The keys, from the root down.
    public var keys: [TreeKey]

    /// Makes a path of checked keys; the store refuses paths deeper than ``maxDepth`` when they are used.
    public init(_ keys: [TreeKey], in namespace: Namespace = .main) {
        self.namespace = namespace
        self.keys = keys
    }

    /// Parses "a/b/c"; leading, trailing and empty segments collapse, so "/a//b/" is "a/b", and "" is the root.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key` or `too_large`.
    public init(_ string: String, in namespace: Namespace = .main) throws(TreeError) {
        var keys: [TreeKey] = []
        // A scalar view: in characters, "/" and a combining accent after it would be one.
        for segment in string.unicodeScalars.split(separator: "/") {
            keys.append(try TreeKey(String(segment)))
        }
        self.init(keys, in: namespace)
        try checkDepth()
    }

    package func checkDepth() throws(TreeError) {
        guard depth <= Self.maxDepth else {
            throw TreeError(
                .tooLarge, "the path has \(depth) keys, the limit is \(Self.maxDepth)",
                hint: "store the data less deeply")
        }
    }

    /// The number of keys; 0 for the root.
    public var depth: Int { keys.count }
    /// Whether this is the path of the whole tree.
    public var isRoot: Bool { keys.isEmpty }
    /// The last key; nil for the root.
    public var lastKey: TreeKey? { keys.last }
    /// The path one level up; nil for the root.
    public var parent: TreePath? { isRoot ? nil : TreePath(Array(keys.dropLast()), in: namespace) }

    /// Whether the other path lies strictly below this one.
    public func isAncestor(of other: TreePath) -> Bool {
        depth < other.depth && namespace == other.namespace && other.keys.starts(with: keys)
    }

    /// The path with the keys of another one below it.
    public func appending(_ other: TreePath) -> TreePath { TreePath(keys + other.keys, in: namespace) }

    /// The path with another key below it.
    public static func / (path: TreePath, key: TreeKey) -> TreePath { TreePath(path.keys + [key], in: path.namespace) }

    /// The path with a push id below it.
    public static func / (path: TreePath, id: PushID) -> TreePath { path / id.key }
}

extension TreePath: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Makes a path from a constant in the source; a constant that is no path is a mistake in the program and traps.
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
