/// The nodes of one pattern that an update may change, in their state before the update.
///
/// Clients control the number and the order of the nodes, so no operation scans all of them for each node.
struct TouchedNodes {
    struct Node {
        let key: [UInt8]
        let state: NodeState
        var isPartOfMore: Bool
    }

    /// The nodes that were inserted in the order of their row keys.
    private var ordered: [Node] = []
    /// The nodes that were inserted out of order, in order of insertion.
    private var unordered: [Node] = []
    /// The ranges of rows that are replaced above the nodes, in key order, none within another.
    private var replaced: [ByteRange] = []
    /// The existing nodes at or below which something has changed, as far as a derivation follows content.
    private var changed: Set<[UInt8]> = []

    /// Records a node, unless it has been recorded.
    mutating func insert(
        _ key: [UInt8], isPartOfMore: Bool, _ states: inout NodeStates, in snapshot: any EngineSnapshot
    ) throws(TreeError) {
        let index = ordered.partitioningIndex { !$0.key.span.precedes(key.span) }
        if index < ordered.count, ordered[index].key == key {
            if !isPartOfMore { ordered[index].isPartOfMore = false }
            return
        }
        // A node in a replaced range that is not recorded did not exist before the update: a derivation writes it now.
        let state = isReplaced(key) ? .nothing : try states.state(at: key, in: snapshot)
        let node = Node(key: key, state: state, isPartOfMore: isPartOfMore)
        if index == ordered.count { ordered.append(node) } else { unordered.append(node) }
    }

    /// Records that all rows of a node above are replaced.
    mutating func insert(replaced range: ByteRange) {
        let first = replaced.partitioningIndex { !$0.lower.span.precedes(range.lower.span) }
        // The ranges of two nodes are nested or disjoint.
        if first > 0, Self.isBefore(range.lower, replaced[first - 1].upper) { return }
        let end = replaced.partitioningIndex { !$0.lower.span.precedes(range.upper.span) }
        replaced.replaceSubrange(first..<end, with: [range])
    }

    /// Records that something has changed at or below a node.
    mutating func insert(changed key: [UInt8]) { changed.insert(key) }

    /// Whether something has changed at or below a node that existed before, as far as it was recorded.
    func hasChanged(_ key: [UInt8]) -> Bool { changed.contains(key) }

    private func isReplaced(_ key: [UInt8]) -> Bool {
        let next = replaced.partitioningIndex { key.span.precedes($0.lower.span) }
        return next > 0 && Self.isBefore(key, replaced[next - 1].upper)
    }

    private static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.span.precedes(right.span) }

    /// All nodes in key order, each once.
    private var nodes: [Node] {
        guard !unordered.isEmpty else { return ordered }
        // Of two entries for a node, the first has the state before the update.
        let all = (ordered + unordered).enumerated().sorted { left, right in
            left.element.key == right.element.key
                ? left.offset < right.offset : left.element.key.span.precedes(right.element.key.span)
        }
        var nodes: [Node] = []
        for (_, node) in all {
            guard let last = nodes.indices.last, nodes[last].key == node.key else {
                nodes.append(node)
                continue
            }
            if !node.isPartOfMore { nodes[last].isPartOfMore = false }
        }
        return nodes
    }

    /// Visits the nodes that existed before or exist now, in key order, each with its state before the update.
    func forEach(
        of pattern: KeyPattern, in snapshot: any EngineSnapshot, _ visit: (Node) throws(TreeError) -> Void
    ) throws(TreeError) {
        var rest = nodes[...]
        func visitRest(before end: [UInt8]) throws(TreeError) {
            while let first = rest.first, first.key.span.precedes(end.span) {
                rest.removeFirst()
                try visit(first)
            }
        }
        for range in replaced {
            try pattern.forEach(in: range, of: snapshot) { key throws(TreeError) in
                try visitRest(before: key)
                if let known = rest.first, known.key == key {
                    rest.removeFirst()
                    try visit(known)
                } else {
                    try visit(Node(key: key, state: .nothing, isPartOfMore: true))
                }
            }
        }
        for node in rest { try visit(node) }
    }
}

/// A cache of the states of nodes in one state of the tree.
struct NodeStates {
    /// The largest number of states in the cache.
    private static let maxCount = 1000

    private var known: [[UInt8]: NodeState] = [:]

    mutating func state(at key: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> NodeState {
        if let state = known[key] { return state }
        let state = try NodeState(at: key, in: snapshot)
        if known.count < Self.maxCount { known[key] = state }
        return state
    }
}

extension NodeState {
    /// Reads the state of the node of a key.
    fileprivate init(at key: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) {
        guard let first = try snapshot.firstKey(in: .subtree(key), reverse: false) else {
            self = .nothing
            return
        }
        if first == key, let leaf = try snapshot.value(for: key) {
            self = .leaf(try LeafEncoding.decode(leaf, ofRow: key))
        } else {
            self = .object
        }
    }
}
