/// The constraints of a store, by the nodes that they check.
struct Constraints: Sendable {
    private struct Pattern: Sendable {
        let nodes: KeyPattern
        let constraint: any Constraint
    }

    private let patterns: [Pattern]
    private let beginnings: KeyBeginnings

    init(_ constraints: [any Constraint]) {
        patterns = constraints.map { Pattern(nodes: KeyPattern($0.place), constraint: $0) }
        beginnings = KeyBeginnings(Set(patterns.map(\.nodes.beginning)))
    }

    /// Checks an update.
    ///
    /// - Parameters:
    ///   - writes: The writes of the update, with server values resolved; in key order, none below another.
    ///   - snapshot: The state of the tree before the update.
    /// - Throws: ``TreeError`` with code `permission_denied`; with code `invalid_value` and the reason if the update is
    ///   not subject to rules.
    func judge(
        _ writes: [EncodedWrite], of update: EncodedUpdate, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        var near: [(index: Int, node: SegmentedKey)] = []
        for (index, write) in writes.enumerated() where !write.isPriority && !write.rows.isEmpty {
            guard beginnings.mayConcern(write.key.span) else { continue }
            let node = try SegmentedKey(write.key)
            if patterns.contains(where: { $0.nodes.mayConcern(node) }) { near.append((index, node)) }
        }
        guard !near.isEmpty else { return }
        let judged = try JudgedUpdate(writes, over: snapshot)
        for place in patterns {
            // The writes of one node follow one another.
            var (last, number): ([UInt8]?, Int) = (nil, 0)
            for (index, node) in near where place.nodes.mayConcern(node) {
                try judged.forEachNode(of: place.nodes, at: node, write: index) { key, isPartOfMore throws(TreeError) in
                    guard key != last else { return }
                    defer { (last, number) = (key, number + 1) }
                    let node = try judged.node(key, of: place.nodes, number: number, isPartOfMore: isPartOfMore)
                    guard node.after.isThere, try !place.constraint.allows(node, in: snapshot) else { return }
                    let path = try StoreFormat.path(ofDataKey: key.span)
                    guard update.requester == nil else {
                        throw .permissionDenied(path, because: place.constraint.reason)
                    }
                    throw TreeError(.invalidValue, "\(path): \(place.constraint.reason)", path: path)
                }
            }
        }
    }
}

/// An update with the states of the tree before and after it.
private struct JudgedUpdate {
    private let before: StoredRows
    private let after: UpdatedRows

    init(_ writes: [EncodedWrite], over snapshot: TreeSnapshot) throws(TreeError) {
        before = StoredRows(snapshot: snapshot.engine)
        after = try UpdatedRows(writes, over: snapshot.engine)
    }

    /// Visits the nodes of a pattern to which a write gives a value, in key order.
    func forEachNode(
        of nodes: KeyPattern, at node: SegmentedKey, write index: Int,
        _ visit: (_ key: [UInt8], _ isPartOfMore: Bool) throws(TreeError) -> Void
    ) throws(TreeError) {
        guard node.depth < nodes.depth else { return try visit(node.ancestor(atDepth: nodes.depth), false) }
        try nodes.pattern.forEachNode(in: .subtree(node.key), below: nodes.prefix.count) { key, _ throws(TreeError) in
            try visit(key, true)
        } firstKey: { range throws(TreeError) in
            try after.firstKey(in: range, ofWrite: index)
        }
    }

    /// Returns the node of a key, before and after the update.
    func node(
        _ key: [UInt8], of nodes: KeyPattern, number: Int, isPartOfMore: Bool
    ) throws(TreeError) -> ChangedNode {
        ChangedNode(
            keys: try nodes.wildcardKeys(in: try SegmentedKey(key)), before: try before.state(at: key),
            after: try after.state(at: key), number: number, isPartOfMore: isPartOfMore)
    }
}

extension RuledRows {
    /// Returns the state of the node of a key.
    fileprivate func state(at key: [UInt8]) throws(TreeError) -> NodeState {
        if let leaf = try value(for: key) { return .leaf(try LeafEncoding.decode(leaf, ofRow: key)) }
        return try hasLeaf(at: key) ? .object : .nothing
    }
}
