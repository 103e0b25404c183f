/// A node of a rules document: the rules for the nodes at its path.
struct RulesNode: Sendable {
    /// The children by the segments of their keys.
    var children: [[UInt8]: RulesNode] = [:]
    /// The node for all other keys; one or none.
    var wildcard: [RulesNode] = []
    /// `.indexOn`
    var indexes: [ChildOrder] = []
    /// `.ttl`
    var timeToLiveMilliseconds: Int64?
}

extension RulesNode {
    /// The rules of a node of the tree: for each key the literal child, else the wildcard; and the pattern of their
    /// path.
    func node(at key: SegmentedKey) -> (node: RulesNode, pattern: PathPattern)? {
        var (node, pattern) = (self, PathPattern())
        for index in 0..<key.depth {
            let segment = Array(key.segment(index))
            if let child = node.children[segment] {
                (node, pattern) = (child, pattern / .segment(segment))
            } else if let child = node.wildcard.first {
                (node, pattern) = (child, pattern / .any)
            } else {
                return nil
            }
        }
        return (node, pattern)
    }

    /// Visits the node and all below it.
    func forEach(at pattern: PathPattern = PathPattern(), _ visit: (PathPattern, RulesNode) -> Void) {
        visit(pattern, self)
        for (segment, child) in children { child.forEach(at: pattern / .segment(segment), visit) }
        for child in wildcard { child.forEach(at: pattern / .any, visit) }
    }
}
