/// A committed update as rows, for the change log and for events.
struct EncodedChange: Sendable {
    let token: SyncToken
    let timestamp: Timestamp
    let origin: EncodedUpdate.Origin
    /// The writes that changed something, in key order; never empty.
    let writes: [EncodedWrite]
    /// The nodes below the written ones that have listeners and have not changed.
    var unchangedNodes: Set<[UInt8]> = []
    /// The listened nodes of which only the priority was written, each with its whole value.
    var nodesOfPriorities: [EncodedWrite] = []
    /// The instant at which the change was durable; nil for a change that was read from the change log.
    var committedAt: ContinuousClock.Instant?
}

extension EncodedChange {
    var byteCount: Int { writes.reduce(0) { $0 + $1.byteCount } }

    private static let putTag: UInt8 = 0
    private static let patchTag: UInt8 = 1

    /// The encoded row for the change log.
    var row: [UInt8] {
        var row: [UInt8] = []
        row.reserveCapacity(writes.reduce(64) { $0 + $1.key.count + $1.rows.bytes.count + 12 })
        row.appendBigEndian(timestamp.milliseconds)
        switch origin {
        case .put: row.append(Self.putTag)
        case .patch(let base):
            row.append(Self.patchTag)
            row.appendCounted(base.span)
        }
        for write in writes {
            row.appendCounted(write.key.span)
            row.appendBigEndian(UInt32(truncatingIfNeeded: write.rows.count))
            row.appendCounted(write.rows.bytes.span)
        }
        return row
    }

    /// Visits the writes in a row of the change log, without copying them.
    ///
    /// - Parameter visit: Receives the key of the written node's row, and the rows with their number.
    static func forEachWrite(
        in row: Span<UInt8>,
        _ visit: (_ key: Span<UInt8>, _ rows: Span<UInt8>, _ count: Int) throws(TreeError) -> Void
    ) throws(TreeError) {
        var cursor = ByteCursor(offset: MemoryLayout<UInt64>.size)
        let tag: UInt8 = try cursor.next(in: row)
        if tag != putTag { _ = try cursor.nextRun(in: row) }
        while cursor.offset < row.count {
            let key = try cursor.nextRun(in: row)
            let count: UInt32 = try cursor.next(in: row)
            let rows = try cursor.nextRun(in: row)
            try visit(row.extracting(key), row.extracting(rows), Int(count))
        }
    }

    /// Decodes a row of the change log.
    init(row: Span<UInt8>, token: SyncToken) throws(TreeError) {
        var cursor = ByteCursor()
        let timestamp: UInt64 = try cursor.next(in: row)
        let tag: UInt8 = try cursor.next(in: row)
        origin =
            tag == Self.putTag ? .put : .patch(below: row.extracting(try cursor.nextRun(in: row)).copied)
        var writes: [EncodedWrite] = []
        while cursor.offset < row.count {
            let key = row.extracting(try cursor.nextRun(in: row)).copied
            let count: UInt32 = try cursor.next(in: row)
            let bytes = row.extracting(try cursor.nextRun(in: row)).copied
            writes.append(
                EncodedWrite(
                    key: key, rows: RowBlock(bytes: bytes, count: Int(count)),
                    isPriority: key.last == PathEncoding.priorityTag))
        }
        self.token = token
        self.writes = writes
        self.timestamp = Timestamp(milliseconds: Int64(bitPattern: timestamp))
    }
}

extension Change {
    /// Creates a change with the values of a commit, without priorities.
    init(_ change: EncodedChange) throws(TreeError) {
        var writes: [TreeWrite] = []
        for write in change.writes where !write.isPriority { writes.append(try TreeWrite(write)) }
        self.init(token: change.token, timestamp: change.timestamp, writes: writes)
    }
}

extension TreeWrite {
    init(_ write: EncodedWrite) throws(TreeError) {
        self.init(path: try StoreFormat.path(ofDataKey: write.key.span), value: try write.rows.value(below: []))
    }
}

extension RowBlock {
    /// Returns the value of the rows below a path; nil if there are none.
    func value(below prefix: [UInt8]) throws(TreeError) -> TreeValue? {
        var builder = ValueBuilder()
        try forEach { path, leaf throws(TreeError) in
            guard path.starts(with: prefix.span) else { return prefix.span.precedes(path) == false }
            try builder.add(path: path.extracting(droppingFirst: prefix.count), leaf: leaf)
            return true
        }
        return builder.finish()
    }
}
