/// The previous values of listened nodes below the nodes that an update writes. They are compared with the new values,
/// so that listeners are not notified if nothing has changed for them.
struct ListenedValues {
    /// The largest value that is compared, in bytes of its rows. Listeners to larger values are always notified,
    /// because a comparison would cost more.
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

    /// Returns the nodes at which the update changes nothing.
    func unchangedNodes() throws(TreeError) -> Set<[UInt8]> {
        var unchanged: Set<[UInt8]> = []
        for (node, write, rows) in values where try write.rows.block(below: Array(node[write.key.count...])) == rows {
            unchanged.insert(node)
        }
        return unchanged
    }

    /// Returns the current values of the nodes whose priority an update has written, for event receivers at or above
    /// them. Values beyond the size limit are left out, because no value has changed.
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

    /// Returns the rows of a node; nil if they exceed the size limit.
    private static func rows(at node: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> RowBlock? {
        var rows = RowBlock()
        try snapshot.scan(.subtree(node), reverse: false) { key, value throws(TreeError) in
            rows.append(path: key.extracting(droppingFirst: node.count), value: value)
            return rows.bytes.count <= maxBytes
        }
        return rows.bytes.count <= maxBytes ? rows : nil
    }
}
