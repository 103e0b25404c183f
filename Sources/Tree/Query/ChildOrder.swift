/// The primary order of a node's children, in a query or an index; children with equal values are ordered by key.
enum ChildOrder: Hashable, Sendable {
    case key
    case priority
    case value
    /// The order by the values at these paths below the child, in this sequence; the paths are as in ``PathEncoding``.
    case children([[UInt8]])

    /// The number of values that precede the key.
    var valueCount: Int {
        switch self {
        case .key: 0
        case .priority, .value: 1
        case .children(let paths): paths.count
        }
    }

    /// Whether a write of a node may change the order of a child that exists before and after it.
    ///
    /// - Parameters:
    ///   - node: The key of the node's row; the node is the child or below it.
    ///   - child: The key of the child's row.
    func isConcerned(by node: [UInt8], below child: [UInt8]) -> Bool {
        switch self {
        case .key: false
        case .priority, .value: true
        case .children(let paths):
            paths.contains { path in
                let value = child + path
                return value.span.starts(with: node.span) || node.span.starts(with: value.span)
            }
        }
    }

    init(_ order: TreeQuery.Order) {
        self =
            switch order {
            case .key: .key
            case .value: .value
            case .priority: .priority
            case .children(let paths):
                .children(
                    paths.map { path in
                        var bytes: [UInt8] = []
                        for key in path.keys { PathEncoding.append(key, to: &bytes) }
                        return bytes
                    })
            }
    }
}

extension EngineSnapshot {
    /// Appends the bytes that order a child: its ordered values, then its segment.
    ///
    /// - Parameters:
    ///   - child: The key of the child's row.
    ///   - segmentStart: The offset of the child's own segment in this key.
    func appendOrder(
        _ order: ChildOrder, of child: [UInt8], segmentStart: Int, to bytes: inout [UInt8]
    ) throws(TreeError) {
        switch order {
        case .key: break
        case .priority: try appendLeaf(at: child + [PathEncoding.priorityTag], to: &bytes)
        case .value: try appendValue(at: child, to: &bytes)
        case .children(let paths): for path in paths { try appendValue(at: child + path, to: &bytes) }
        }
        bytes.append(child.span.extracting(segmentStart..<child.count))
    }

    private func appendLeaf(at key: [UInt8], to bytes: inout [UInt8]) throws(TreeError) {
        if let leaf = try value(for: key) {
            try OrderedValue.append(leaf: leaf.span, to: &bytes)
        } else {
            OrderedValue.appendNull(to: &bytes)
        }
    }

    private func appendValue(at key: [UInt8], to bytes: inout [UInt8]) throws(TreeError) {
        let start = bytes.count
        try scan(.subtree(key), reverse: false) { row, leaf throws(TreeError) in
            if row.count == key.count {
                try OrderedValue.append(leaf: leaf, to: &bytes)
            } else {
                OrderedValue.appendObject(to: &bytes)
            }
            return false
        }
        if bytes.count == start { OrderedValue.appendNull(to: &bytes) }
    }
}
