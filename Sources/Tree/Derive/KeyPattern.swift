/// The nodes of a pattern, as the keys of their rows tell them.
struct KeyPattern: Hashable, Sendable {
    /// The beginning of the keys of all rows of the tree.
    let prefix: [UInt8]
    let pattern: PathPattern

    init(_ place: TreePattern) {
        prefix = StoreFormat.prefix(of: place.path.namespace)
        pattern = place.elements
    }

    /// The number of keys that the path of a node has.
    var depth: Int { pattern.elements.count }

    /// The beginning of the keys of rows at the nodes.
    var beginning: [UInt8] { pattern.beginning(behind: prefix) }

    /// Whether a node is one of these, or above or below one.
    func mayConcern(_ node: SegmentedKey) -> Bool { node.prefix.elementsEqual(prefix) && pattern.matches(node) }

    /// Visits the nodes that have rows in a range, in key order, each by its key.
    func forEach(
        in range: ByteRange, of snapshot: any EngineSnapshot, _ visit: (_ key: [UInt8]) throws(TreeError) -> Void
    ) throws(TreeError) {
        try pattern.forEachNode(in: range, below: prefix.count, of: snapshot) { key, _ throws(TreeError) in
            try visit(key)
        }
    }

    /// The keys that the wildcards stand for at a node that matches.
    func wildcardKeys(in node: SegmentedKey) throws(TreeError) -> [TreeKey] {
        var keys: [TreeKey] = []
        for (index, element) in pattern.elements.enumerated() where element == .any {
            keys.append(try PathEncoding.decode(Array(node.segment(index)).span))
        }
        return keys
    }
}
