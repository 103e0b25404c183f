/// The derivations of a store, by the nodes whose children they follow.
///
/// An update that touches none of these nodes costs a comparison of keys for each node. One that touches a child costs
/// two searches and what the derivations read.
struct Derivations: Sendable {
    private struct Node: Sendable {
        let key: [UInt8]
        let children: PathPattern
        let derivations: [any Derivation]

        func forEachChild(
            in range: ByteRange, of snapshot: any EngineSnapshot, _ visit: ([UInt8]) throws(TreeError) -> Void
        ) throws(TreeError) {
            let prefixLength = try StoreFormat.prefixLength(of: key.span)
            try children.forEachNode(in: range, below: prefixLength, of: snapshot) { child, _ throws(TreeError) in
                try visit(child)
            }
        }
    }

    private let nodes: [Node]

    init(_ derivations: [any Derivation]) {
        var nodes: [[UInt8]: [any Derivation]] = [:]
        var paths: [[UInt8]: TreePath] = [:]
        for derivation in derivations {
            let key = StoreFormat.dataKey(derivation.parent)
            nodes[key, default: []].append(derivation)
            paths[key] = derivation.parent
        }
        self.nodes = nodes.map { key, derivations in
            Node(key: key, children: PathPattern(childrenOf: paths[key] ?? .root), derivations: derivations)
        }
    }

    /// Whether anything may be derived from what a write changes.
    func concern(_ write: EncodedWrite) -> Bool {
        !write.isPriority && nodes.contains { $0.key.starts(with: write.key) || write.key.starts(with: $0.key) }
    }

    /// Takes down the children that an update may change, as they are before it is applied.
    func prepare(
        _ writes: [EncodedWrite], in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [Preparation] {
        var preparations: [Preparation] = []
        for (index, node) in nodes.enumerated() {
            var preparation = Preparation(node: index)
            for write in writes where !write.isPriority {
                let key = write.key
                if key.count > node.key.count, key.starts(with: node.key) {
                    let child = Array(key[..<(try PathEncoding.segmentEnd(in: key.span, from: node.key.count))])
                    guard preparation.before.last?.key != child else { continue }
                    preparation.before.append((child, try !snapshot.isEmpty(.subtree(child))))
                } else if node.key.starts(with: key) {
                    preparation.range = .subtree(key)
                    try node.forEachChild(in: .subtree(key), of: snapshot) { child throws(TreeError) in
                        preparation.before.append((child, true))
                    }
                }
            }
            if preparation.range != nil || !preparation.before.isEmpty { preparations.append(preparation) }
        }
        return preparations
    }

    /// The children of a node that an update may change.
    struct Preparation {
        fileprivate let node: Int
        /// The rows that the update replaces; nil when it replaces nothing above the children.
        fileprivate var range: ByteRange?
        /// The children before the update, by the keys of rows at them, in key order.
        fileprivate var before: [(key: [UInt8], wasThere: Bool)] = []
    }

    /// Writes what follows from an update that has been applied.
    func derive(
        from preparations: [Preparation], at commit: CommitPoint, snapshot: TreeSnapshot,
        in transaction: any EngineTransaction
    ) throws(TreeError) {
        for preparation in preparations {
            let node = nodes[preparation.node]
            var rest = preparation.before[...]
            var number = 0
            func follow(_ child: [UInt8], wasThere: Bool, isThere: Bool) throws(TreeError) {
                guard wasThere || isThere else { return }
                let key = try PathEncoding.decode(child.span.extracting(droppingFirst: node.key.count))
                let changed = ChangedChild(key: key, wasThere: wasThere, isThere: isThere, number: number)
                number += 1
                for derivation in node.derivations {
                    for write in try derivation.writes(for: changed, at: commit, in: snapshot) {
                        try transaction.apply(derived: write)
                    }
                }
            }
            guard let range = preparation.range else {
                for (child, wasThere) in rest {
                    try follow(child, wasThere: wasThere, isThere: try !transaction.isEmpty(.subtree(child)))
                }
                continue
            }
            try node.forEachChild(in: range, of: transaction) { child throws(TreeError) in
                while let first = rest.first, first.key.span.precedes(child.span) {
                    rest.removeFirst()
                    try follow(first.key, wasThere: true, isThere: false)
                }
                let wasThere = rest.first?.key == child
                if wasThere { rest.removeFirst() }
                try follow(child, wasThere: wasThere, isThere: true)
            }
            for (child, _) in rest { try follow(child, wasThere: true, isThere: false) }
        }
    }
}

extension PathPattern {
    /// All children of one node.
    fileprivate init(childrenOf parent: TreePath) {
        self.init(
            parent.keys.map { key in
                var segment: [UInt8] = []
                PathEncoding.append(key, to: &segment)
                return .segment(segment)
            } + [.any])
    }
}

extension EngineTransaction {
    /// Writes a leaf, or deletes a node.
    fileprivate func apply(derived write: TreeWrite) throws(TreeError) {
        let key = StoreFormat.dataKey(write.path)
        guard let value = write.value else { return try remove(.subtree(key)) }
        guard let leaf = LeafEncoding.encode(value) else {
            throw TreeError(.invalidValue, "what is derived has to be a leaf", path: write.path)
        }
        try put(leaf, for: key)
    }
}
