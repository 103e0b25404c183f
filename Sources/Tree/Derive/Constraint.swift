/// A condition of nodes, which every update meets that brings something to them, whoever makes it: by a write of a node, of what
/// is below it or of anything above, or by an import. An update that does not is refused as a whole, before anything of it is
/// written.
public protocol Constraint: Sendable {
    /// The nodes that are looked at.
    var place: TreePattern { get }

    /// Whether a node may become what an update makes of it.
    ///
    /// All writers wait for it, so it should read little. It is called for each node to which an update brings something, also
    /// when that is there already, and sometimes twice. Deletions are not looked at.
    ///
    /// - Parameter snapshot: The state of the tree before the update.
    func allows(_ node: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool

    /// The reason for a refusal, for the log: a clause.
    var reason: String { get }
}

/// The constraints of a store, by the nodes at which they look.
struct Constraints: Sendable {
    private struct Place: Sendable {
        let nodes: KeyPattern
        let constraint: any Constraint
    }

    private let places: [Place]
    private let beginnings: KeyBeginnings

    init(_ constraints: [any Constraint]) {
        places = constraints.map { Place(nodes: KeyPattern($0.place), constraint: $0) }
        beginnings = KeyBeginnings(Set(places.map(\.nodes.beginning)))
    }

    /// Judges an update.
    ///
    /// - Parameters:
    ///   - writes: Its writes, whose server values are filled in; ordered by key, none below another.
    ///   - snapshot: The state of the tree before it.
    /// - Throws: ``TreeError`` with code `permission_denied`.
    func judge(_ writes: [EncodedWrite], in snapshot: TreeSnapshot) throws(TreeError) {
        let near = writes.filter { !$0.isPriority && !$0.rows.isEmpty && beginnings.mayConcern($0.key.span) }
        guard !near.isEmpty else { return }
        let update = try JudgedUpdate(writes, over: snapshot)
        for write in near {
            let node = try SegmentedKey(write.key)
            for place in places where place.nodes.mayConcern(node) {
                try update.judge(write, at: node, by: place.constraint, of: place.nodes)
            }
        }
    }
}

/// An update with the states of the tree before and after it.
private struct JudgedUpdate {
    private let snapshot: TreeSnapshot
    private let before: StoredRows
    private let after: UpdatedRows

    init(_ writes: [EncodedWrite], over snapshot: TreeSnapshot) throws(TreeError) {
        self.snapshot = snapshot
        before = StoredRows(snapshot: snapshot.engine)
        after = try UpdatedRows(writes, over: snapshot.engine)
    }

    /// Judges what one write of the update brings to nodes of a place.
    func judge(
        _ write: EncodedWrite, at node: SegmentedKey, by constraint: any Constraint, of nodes: KeyPattern
    ) throws(TreeError) {
        guard node.depth < nodes.depth else {
            return try judge(node.ancestor(atDepth: nodes.depth), number: 0, isPartOfMore: false, constraint, nodes)
        }
        var (last, number): ([UInt8]?, Int) = (nil, 0)
        try write.rows.forEach { path, _ throws(TreeError) in
            // Most rows belong to the node before: they come in key order.
            if let last, path.starts(with: last.span.extracting(droppingFirst: write.key.count)) { return true }
            let row = try SegmentedKey(write.key + path.copied)
            guard row.depth >= nodes.depth, nodes.mayConcern(row) else { return true }
            let key = row.ancestor(atDepth: nodes.depth)
            last = key
            try judge(key, number: number, isPartOfMore: true, constraint, nodes)
            number += 1
            return true
        }
    }

    private func judge(
        _ key: [UInt8], number: Int, isPartOfMore: Bool, _ constraint: any Constraint, _ nodes: KeyPattern
    ) throws(TreeError) {
        let node = ChangedNode(
            keys: try nodes.wildcardKeys(in: try SegmentedKey(key)), before: try before.state(at: key),
            after: try after.state(at: key), number: number, isPartOfMore: isPartOfMore)
        guard node.after.isThere, try !constraint.allows(node, in: snapshot) else { return }
        throw .permissionDenied(try StoreFormat.path(ofDataKey: key.span), because: constraint.reason)
    }
}

extension RuledRows {
    /// What stands at the node of a key.
    fileprivate func state(at key: [UInt8]) throws(TreeError) -> NodeState {
        if let leaf = try value(for: key) { return .leaf(try LeafEncoding.decode(leaf, ofRow: key)) }
        return try hasLeaf(at: key) ? .object : .nothing
    }
}
