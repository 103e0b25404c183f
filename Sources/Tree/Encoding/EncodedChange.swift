/// A committed update as rows: what the change log keeps, and what events are made of.
struct EncodedChange: Sendable {
    let token: SyncToken
    let timestamp: Timestamp
    let origin: EncodedUpdate.Origin
    /// The writes that changed anything, ordered by key; never empty.
    let writes: [EncodedWrite]
    /// Nodes below those of the writes at which nothing changed, of those that are listened to.
    var unchangedNodes: Set<[UInt8]> = []
    /// The nodes of which only the priority was written, each with all that is there; of those that are listened to.
    var nodesOfPriorities: [EncodedWrite] = []
    /// The instant at which it was durable; nil for a change of the change log.
    var committedAt: ContinuousClock.Instant?
}

extension EncodedChange {
    var byteCount: Int { writes.reduce(0) { $0 + $1.byteCount } }

    private static let putTag: UInt8 = 0
    private static let patchTag: UInt8 = 1

    /// The change as a row of the change log.
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

    /// Reads a row of the change log.
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
    /// The values that a change wrote; priorities are left out.
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
    /// The value that the rows below a path make; nil if there are none.
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
