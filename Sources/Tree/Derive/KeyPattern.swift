/// The nodes that match a pattern in one tree, recognised by the keys of their rows.
struct KeyPattern: Hashable, Sendable {
    /// The prefix of the keys of all rows of the tree.
    let prefix: [UInt8]
    let pattern: PathPattern

    init(_ place: TreePattern) {
        prefix = StoreFormat.prefix(of: place.path.namespace)
        pattern = place.elements
    }

    /// The number of keys in the path of a node.
    var depth: Int { pattern.elements.count }

    /// The common beginning of the keys of the nodes' rows.
    var beginning: [UInt8] { pattern.beginning(behind: prefix) }

    /// Whether a node matches, or is above or below a node that does.
    func mayConcern(_ node: SegmentedKey) -> Bool { node.prefix.elementsEqual(prefix) && pattern.matches(node) }

    /// Visits the nodes that have rows in a range, in key order, with the key of each.
    func forEach(
        in range: ByteRange, of snapshot: any EngineSnapshot, _ visit: (_ key: [UInt8]) throws(TreeError) -> Void
    ) throws(TreeError) {
        try pattern.forEachNode(in: range, below: prefix.count, of: snapshot) { key, _ throws(TreeError) in
            try visit(key)
        }
    }

    /// Returns the keys of a matching node at the wildcards.
    func wildcardKeys(in node: SegmentedKey) throws(TreeError) -> [TreeKey] {
        var keys: [TreeKey] = []
        for (index, element) in pattern.elements.enumerated() where element == .any {
            keys.append(try PathEncoding.decode(Array(node.segment(index)).span))
        }
        return keys
    }
}
