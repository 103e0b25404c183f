/// A committed update as seen from a node: the part that concerns the node or what is below it.
///
/// A write at the node or above it is the only write that concerns the node, because no path of an update is above
/// another.
struct ChangeView {
    /// The treatment of priority writes. Priorities are not part of the values that listeners receive.
    enum Priorities {
        /// Priority writes are left out.
        case hidden
        /// Each priority write is shown as its node with the whole value (``EncodedChange/nodesOfPriorities``).
        case asNodes
        /// Each priority write is shown separately, with a path that ends in the priority.
        case asWrites
    }

    let token: SyncToken
    let timestamp: Timestamp
    /// The writes in key order; never empty. Keys are relative to the node; the empty key is the node itself.
    private(set) var writes: [EncodedWrite]
    /// The path of a patch, relative to the node; nil for a put. A put with derived writes is a patch for listeners
    /// that see both.
    let patchedPath: [UInt8]?

    /// Creates the view; nil if the change does not concern the node.
    init?(_ change: EncodedChange, from node: [UInt8], priorities: Priorities) throws(TreeError) {
        var concerned = change.writes.filter { write in
            (!write.isPriority || priorities == .asWrites)
                && (write.key.span.starts(with: node.span) || node.span.starts(with: write.key.span))
        }
        if priorities == .asNodes, !change.nodesOfPriorities.isEmpty {
            concerned = Self.merging(change.nodesOfPriorities.filter { $0.key.starts(with: node) }, into: concerned)
        }
        guard !concerned.isEmpty else { return nil }
        var writes: [EncodedWrite] = []
        for write in concerned {
            let isAbove = write.key.count < node.count
            let rows = isAbove ? try write.rows.block(below: Array(node[write.key.count...])) : write.rows
            writes.append(
                EncodedWrite(
                    key: isAbove ? [] : Array(write.key[node.count...]), rows: rows, isPriority: write.isPriority))
        }
        self.writes = writes
        token = change.token
        timestamp = change.timestamp
        patchedPath =
            switch change.origin {
            case .put: writes.count > 1 ? [] : nil
            case .patch(let base)
            where base.starts(with: node) && concerned.allSatisfy { $0.key.span.starts(with: base.span) }:
                Array(base[node.count...])
            case .patch: []
            }
    }

    /// Replaces the value of each write by the value of the written node in a snapshot; deletions stay deletions.
    ///
    /// - Parameter node: The node that the view's paths are relative to.
    mutating func refresh(at node: [UInt8], from snapshot: any EngineSnapshot) throws(TreeError) {
        for index in writes.indices where !writes[index].rows.isEmpty {
            writes[index].rows = try EncodedWrite(key: node + writes[index].key, rows: RowBlock())
                .read(from: snapshot).rows
        }
    }

    /// Inserts nodes into the writes, replacing the writes below these nodes.
    private static func merging(_ nodes: [EncodedWrite], into writes: [EncodedWrite]) -> [EncodedWrite] {
        var merged: [EncodedWrite] = []
        // In this order, a node is followed directly by the writes below it.
        for write in (nodes + writes).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where merged.last.map({ write.key.starts(with: $0.key) }) != true {
            merged.append(write)
        }
        return merged
    }
}

extension Change {
    /// Creates a change with the written values, by their paths relative to the node.
    init(_ view: ChangeView) throws(TreeError) {
        var writes: [TreeWrite] = []
        for write in view.writes {
            let path = TreePath(try PathEncoding.decodeKeys(write.key.span))
            writes.append(TreeWrite(path: path, value: try write.rows.value(below: [])))
        }
        self.init(token: view.token, timestamp: view.timestamp, writes: writes)
    }
}
