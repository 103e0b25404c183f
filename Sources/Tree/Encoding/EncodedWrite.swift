/// The write of one node, or of its priority, as rows.
struct EncodedWrite: Sendable {
    /// The key of a row at the node; all rows of its subtree begin so.
    let key: [UInt8]
    /// The rows of the new value, below the node; none to delete what is there.
    var rows: RowBlock
    /// Whether the key is that of a priority, and not of a node.
    var isPriority = false
    /// Whether there are leaves among the rows that the server is to fill in.
    var hasServerValues = false
    /// The rows that the server has filled in, when the others have been staged before.
    var filledIn = RowBlock()

    var byteCount: Int { key.count * (rows.count + 1) + rows.bytes.count }

    /// The write of what is at the node in a state.
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

/// Collects the rows of a write.
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

    /// Begins a write of a node, or of its priority.
    init(_ path: TreePath, isPriority: Bool = false) {
        key = StoreFormat.dataKey(path) + (isPriority ? [PathEncoding.priorityTag] : [])
        self.isPriority = isPriority
    }

    /// The length of the key of a row at the node, in bytes.
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

    /// Puts a leaf in the place of what has been appended at a path and below it.
    ///
    /// - Throws: ``TreeError`` with code `conflicting_paths` when the path lies below a leaf.
    mutating func replace(_ path: [UInt8], by leaf: [UInt8], at target: TreePath) throws(TreeError) {
        var kept = RowBlock()
        try rows.forEach { row, value throws(TreeError) in
            guard row.starts(with: path.span) || !path.span.starts(with: row) else {
                throw TreeError(
                    .conflictingPaths, "the update writes a leaf above what the server is to fill in", path: target,
                    hint: "write each path once")
            }
            if !row.starts(with: path.span) { kept.append(path: row, value: value) }
            return true
        }
        rows = kept
        (isSorted, hasServerValues) = (false, true)
        rows.append(path: path.span, value: leaf.span)
    }

    mutating func truncate(to position: Position) { rows.truncate(toBytes: position.bytes, count: position.count) }

    /// The segments that follow so many bytes of the paths of the rows since a position.
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

    /// The write, its rows in order.
    func finish() throws(TreeError) -> EncodedWrite {
        EncodedWrite(
            key: key, rows: isSorted ? rows : try rows.sorted(), isPriority: isPriority,
            hasServerValues: hasServerValues)
    }
}
