import Rules

/// The effect of a write on the expiry times of nodes, applied in the transaction of the write.
///
/// A write at a node, above it or below it restarts the node's time to live, even if the write changes nothing.
struct ExpiringWrite {
    private let node: SegmentedKey
    private let rules: TreeRules
    private let timestamp: Timestamp

    init(at node: SegmentedKey, rules: TreeRules, timestamp: Timestamp) {
        self.node = node
        self.rules = rules
        self.timestamp = timestamp
    }

    /// Updates the expiry times after the write has been applied.
    func apply(to transaction: any EngineTransaction) throws(TreeError) {
        let concerned = rules.expiries.filter { $0.nodes.matches(node) }
        let below = concerned.filter { $0.nodes.elements.count > node.depth }
        if !below.isEmpty { try ExpiryTable.removeAll(below: node.key, in: transaction) }
        for expiry in below {
            try expiry.nodes.forEachNode(
                in: .subtree(node.key), below: node.ends[0], of: transaction
            ) { node, _ throws(TreeError) in try touch(node, in: transaction) }
        }
        for depth in Set(concerned.map(\.nodes.elements.count)) where depth <= node.depth {
            try touch(node.ancestor(atDepth: depth), in: transaction)
        }
    }

    private func touch(_ node: [UInt8], in transaction: any EngineTransaction) throws(TreeError) {
        let old = try ExpiryTable.entry(of: node, in: transaction)
        let new = try rules.expiry(of: node, writtenAt: timestamp)
        let isThere = try !transaction.isEmpty(.subtree(node))
        guard old != (isThere ? new : nil) else { return }
        if let old { try ExpiryTable.remove(old, in: transaction) }
        if let new, isThere { try ExpiryTable.add(new, in: transaction) }
    }
}

extension TreeRules {
    /// Returns the expiry of a node that is written now; nil if the rules give it no time to live.
    func expiry(of node: [UInt8], writtenAt timestamp: Timestamp) throws(TreeError) -> ExpiryTable.Entry? {
        guard let (rule, pattern) = try document.root.node(at: try SegmentedKey(node)),
            let timeToLive = rule.timeToLiveMilliseconds,
            let expiry = expiries.first(where: { $0.nodes == pattern })
        else { return nil }
        let (time, isBeyond) = timestamp.milliseconds.addingReportingOverflow(timeToLive)
        return ExpiryTable.Entry(
            node: node, timestampMilliseconds: isBeyond ? .max : UInt64(max(0, time)), id: expiry.id)
    }
}
