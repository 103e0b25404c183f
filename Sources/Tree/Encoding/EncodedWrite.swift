/// A write of a node, or of its priority, as rows.
struct EncodedWrite: Sendable {
    /// The key of the node's row, a prefix of all keys in its subtree.
    let key: [UInt8]
    /// The rows of the new value, relative to the node; empty for a deletion.
    var rows: RowBlock
    /// Whether the key is that of a priority instead of a node.
    var isPriority = false
    /// Whether the rows include server values that are not resolved.
    var hasServerValues = false
    /// Whether the service has added the write, in one of its own trees, to those that a client has sent.
    var isOfService = false
    /// Whether the text of the write's only row is followed by the resolved server values of the whole update; see
    /// ``RequestRecord``.
    var notesServerValues = false
    /// The rows with resolved server values, if the other rows have been staged.
    var filledIn = RowBlock()

    var byteCount: Int { key.count * (rows.count + 1) + rows.bytes.count }

    /// Returns a write of the node's current value in a state.
    func read(from snapshot: any EngineSnapshot) throws(TreeError) -> EncodedWrite {
        let length = key.count
        var rows = RowBlock()
        try snapshot.scan(.subtree(key), reverse: false) { row, value throws(TreeError) in
            rows.append(path: row.extracting(droppingFirst: length), value: value)
            return true
        }
        return EncodedWrite(key: key, rows: rows)
    }
}

/// Builds the rows of a write.
struct WriteBuilder {
    /// A state to which the builder can return.
    struct Position {
        let bytes: Int
        let count: Int
    }

    private let key: [UInt8]
    private let isPriority: Bool
    private var rows = RowBlock()
    private var lastPath: [UInt8] = []
    private var isSorted = true
    private var hasServerValues = false

    /// Creates a builder for a write of a node, or of its priority.
    init(_ path: TreePath, isPriority: Bool = false) {
        key = StoreFormat.dataKey(path) + (isPriority ? [PathEncoding.priorityTag] : [])
        self.isPriority = isPriority
    }

    /// The length of the key of the node's row, in bytes.
    var keyByteCount: Int { key.count }

    var position: Position { Position(bytes: rows.bytes.count, count: rows.count) }

    mutating func append(path: Span<UInt8>, leaf: Span<UInt8>) {
        if LeafEncoding.isServerValue(leaf) { hasServerValues = true }
        if isSorted {
            if rows.count > 0, !lastPath.span.precedes(path) { isSorted = false }
            lastPath.removeAll(keepingCapacity: true)
            lastPath.append(path)
        }
        rows.append(path: path, value: leaf)
    }

    /// Replaces the rows at and below a path by a leaf.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths` if the path is below a leaf.
    mutating func replace(_ path: [UInt8], by leaf: [UInt8], at target: TreePath) throws(TreeError) {
        var kept = RowBlock()
        try rows.forEach { row, value throws(TreeError) in
            guard row.starts(with: path.span) || !path.span.starts(with: row) else {
                throw TreeError(
                    .conflictingPaths, "the update writes a leaf above a server value", path: target,
                    hint: "Write each path once.")
            }
            if !row.starts(with: path.span) { kept.append(path: row, value: value) }
            return true
        }
        rows = kept
        (isSorted, hasServerValues) = (false, true)
        rows.append(path: path.span, value: leaf.span)
    }

    mutating func truncate(to position: Position) { rows.truncate(toBytes: position.bytes, count: position.count) }

    /// Returns the path segments that begin at an offset, for the rows since a position; repeated segments are skipped.
    func segments(from position: Position, below length: Int) throws(TreeError) -> [[UInt8]] {
        var segments: [[UInt8]] = []
        try rows.forEach(from: position.bytes) { path, _ throws(TreeError) in
            guard path.count > length else { return true }
            let segment = path.extracting(length..<(try PathEncoding.segmentEnd(in: path, from: length)))
            if segments.last.map({ $0.span.hasSameBytes(as: segment) }) != true { segments.append(segment.copied) }
            return true
        }
        return segments
    }

    /// Returns the write with its rows in key order.
    func finish() throws(TreeError) -> EncodedWrite {
        EncodedWrite(
            key: key, rows: isSorted ? rows : try rows.sorted(), isPriority: isPriority,
            hasServerValues: hasServerValues)
    }
}
