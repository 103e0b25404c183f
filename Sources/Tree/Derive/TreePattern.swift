/// A pattern of paths: keys, and wildcards that match any single key.
public struct TreePattern: Sendable, Hashable {
    /// The path with `*` for each wildcard.
    package let path: TreePath

    /// Creates a pattern from a path in which the key `*` matches any key: `likes/*/*`.
    public init(_ path: TreePath) { self.path = path }

    /// Returns the path of the node with these keys at the wildcards; surplus keys are ignored.
    package func path(filledWith keys: [TreeKey]) -> TreePath {
        var rest = keys[...]
        return TreePath(path.keys.map { $0 == "*" ? rest.popFirst() ?? $0 : $0 }, in: path.namespace)
    }

    /// Returns the keys of a matching node at the wildcards.
    package func wildcards(of node: TreePath) -> [TreeKey] {
        zip(path.keys, node.keys).filter { $0.0 == "*" }.map(\.1)
    }

    /// The pattern of the parents of the nodes.
    package var parent: TreePattern { TreePattern(path.parent ?? path) }

    var elements: PathPattern {
        PathPattern(
            path.keys.map { key in
                guard key != "*" else { return .any }
                var segment: [UInt8] = []
                PathEncoding.append(key, to: &segment)
                return .segment(segment)
            })
    }
}
