/// The values of the nodes that are listened to below those that an update writes, before it is applied: so that
/// listeners at whose nodes nothing changes are not notified.
struct ListenedValues {
    /// Listeners to more than this are notified in any case: to hold it beside the write would cost more.
    private static let maxBytes = 1 << 20

    private var values: [(node: [UInt8], write: EncodedWrite, rows: RowBlock)] = []

    init(
        below writes: [EncodedWrite], of commits: CommitStream, in snapshot: any EngineSnapshot
    ) throws(TreeError) {
        for write in writes where !write.isPriority {
            for node in commits.listenedNodes(belowWriteAt: write.key) {
                guard let rows = try Self.rows(at: node, in: snapshot) else { continue }
                values.append((node, write, rows))
            }
        }
    }

    /// The nodes at which the update changes nothing.
    func unchangedNodes() throws(TreeError) -> Set<[UInt8]> {
        var unchanged: Set<[UInt8]> = []
        for (node, write, rows) in values where try write.rows.block(below: Array(node[write.key.count...])) == rows {
            unchanged.insert(node)
        }
        return unchanged
    }

    /// The nodes of which an update changed the priority, as they are now: whoever receives events there or above is
    /// sent them. A node beyond the limit is left out, for no value has changed.
    static func nodesOfPriorities(
        among writes: [EncodedWrite], of commits: CommitStream, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [EncodedWrite] {
        var nodes: [EncodedWrite] = []
        for write in writes where write.isPriority {
            let node = Array(write.key.dropLast())
            guard commits.hasReceiver(atOrAbove: node), let rows = try rows(at: node, in: snapshot) else { continue }
            nodes.append(EncodedWrite(key: node, rows: rows))
        }
        return nodes
    }

    /// The rows at a node; nil when they are too many.
    private static func rows(at node: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> RowBlock? {
        var rows = RowBlock()
        try snapshot.scan(.subtree(node), reverse: false) { key, value throws(TreeError) in
            rows.append(path: key.extracting(droppingFirst: node.count), value: value)
            return rows.bytes.count <= maxBytes
        }
        return rows.bytes.count <= maxBytes ? rows : nil
    }
}
