/// A pattern of paths: keys, and wildcards that stand for any one key.
public struct TreePattern: Sendable, Hashable {
    /// The path with `*` for each wildcard.
    package let path: TreePath

    /// Makes a pattern of a path, in which the key `*` stands for any key: `likes/*/*`.
    public init(_ path: TreePath) { self.path = path }

    /// The path of a node whose keys are these, where the wildcards are; there may be more than are needed.
    package func path(filledWith keys: [TreeKey]) -> TreePath {
        var rest = keys[...]
        return TreePath(path.keys.map { $0 == "*" ? rest.popFirst() ?? $0 : $0 }, in: path.namespace)
    }

    /// The keys of a node that matches where the wildcards are.
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
