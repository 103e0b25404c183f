/// A node of a rules document: what is asked of the places that it is about.
struct RulesNode: Sendable {
    /// By the segment of the key.
    var children: [[UInt8]: RulesNode] = [:]
    /// The node for all other keys; one or none.
    var wildcard: [RulesNode] = []
    /// `.indexOn`
    var indexes: [ChildOrder] = []
    /// `.ttl`
    var timeToLiveMilliseconds: Int64?
}

extension RulesNode {
    /// The node that a place is under: for each key the literal child, else the wildcard; and where that node stands.
    func node(at place: SegmentedKey) -> (node: RulesNode, pattern: PathPattern)? {
        var (node, pattern) = (self, PathPattern())
        for index in 0..<place.depth {
            let segment = Array(place.segment(index))
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
