/// A committed update as it is seen from a node: what of it concerns the node, or what lies below it.
///
/// A write at the node or above it is the only one that concerns the node, because no path of an update lies above
/// another.
struct ChangeView {
    /// The way in which writes of priorities are shown; priorities are no part of the values that listeners receive.
    enum Priorities {
        /// They are left out.
        case hidden
        /// Each is shown as its node, with all that is there (``EncodedChange/nodesOfPriorities``).
        case asNodes
        /// Each is shown as a write of its own, whose path ends in the priority.
        case asWrites
    }

    let token: SyncToken
    let timestamp: Timestamp
    /// The writes, ordered by key; never empty. The keys are below the node: an empty one is the node itself.
    private(set) var writes: [EncodedWrite]
    /// The path below the node that a patch was about; nil for a put. A put from which something follows is a patch for
    /// whoever sees both.
    let patchedPath: [UInt8]?

    /// Returns nil when the change does not concern the node.
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

    /// Gives each write the value that its node has in a state; what it deleted stays deleted.
    ///
    /// - Parameter node: The node from which the change is seen.
    mutating func refresh(at node: [UInt8], from snapshot: any EngineSnapshot) throws(TreeError) {
        for index in writes.indices where !writes[index].rows.isEmpty {
            writes[index].rows = try EncodedWrite(key: node + writes[index].key, rows: RowBlock())
                .read(from: snapshot).rows
        }
    }

    /// Puts nodes among the writes. What was written below such a node is part of it.
    private static func merging(_ nodes: [EncodedWrite], into writes: [EncodedWrite]) -> [EncodedWrite] {
        var merged: [EncodedWrite] = []
        // What lies below a node comes just behind it.
        for write in (nodes + writes).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where merged.last.map({ write.key.starts(with: $0.key) }) != true {
            merged.append(write)
        }
        return merged
    }
}

extension Change {
    /// The values that were written, by their paths below the node.
    init(_ view: ChangeView) throws(TreeError) {
        var writes: [TreeWrite] = []
        for write in view.writes {
            let path = TreePath(try PathEncoding.decodeKeys(write.key.span))
            writes.append(TreeWrite(path: path, value: try write.rows.value(below: [])))
        }
        self.init(token: view.token, timestamp: view.timestamp, writes: writes)
    }
}
