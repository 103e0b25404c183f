import Rules

extension RulesNode {
    /// Returns the rules of a node of the tree, and the pattern of their path. For each key, the literal child is used,
    /// otherwise the wildcard.
    func node(at key: SegmentedKey) throws(TreeError) -> (node: RulesNode, pattern: PathPattern)? {
        var (node, pattern) = (self, PathPattern())
        for index in 0..<key.depth {
            let segment = Array(key.segment(index))
            let name = try PathEncoding.decode(segment.span)
            guard let child = node.child(for: name.string) else { return nil }
            node = child
            pattern = pattern / (child.isWildcard ? .any : .segment(segment))
        }
        return (node, pattern)
    }

    /// Visits the node and all below it.
    func forEach(at pattern: PathPattern = PathPattern(), _ visit: (PathPattern, RulesNode) -> Void) {
        visit(pattern, self)
        for (key, child) in children {
            var segment: [UInt8] = []
            PathEncoding.append(key, to: &segment)
            child.forEach(at: pattern / .segment(segment), visit)
        }
        wildcard?.forEach(at: pattern / .any, visit)
    }

    private var isWildcard: Bool { name.utf8.first == UInt8(ascii: "$") }
}

extension ChildOrder {
    /// The order of an index that the rules define.
    init(_ index: RulesIndex) {
        switch index {
        case .value: self = .value
        case .children(let paths): self.init(TreeQuery.Order.children(paths))
        }
    }
}
