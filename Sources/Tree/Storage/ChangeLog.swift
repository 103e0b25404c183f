/// The committed updates in order, each in a row that is written in the transaction of the update itself.
///
/// The key is the sequence number; numbers begin at 1 and have no gap. The value is:
///
///     8 bytes                        milliseconds since 1970
///     for each write:
///       counted                      the path (``PathEncoding``)
///       4 bytes                      how many leaves follow; 0 for a deletion
///       for each leaf:
///         counted, counted           its path below the write's, its value (``LeafEncoding``)
///
/// where a number is big endian and "counted" is a length in 4 bytes and then as many bytes.
struct ChangeLog: Sendable {
    /// How many changes are kept, at least; it is trimmed when there are an eighth more.
    let limit: UInt64

    private static func key(_ sequence: UInt64) -> [UInt8] {
        var key = [StorageFormat.changeLogKeyspace]
        key.appendBigEndian(sequence)
        return key
    }

    /// The rows after a position.
    private static func rows(after token: SyncToken) -> ByteRange {
        let (first, isBeyond) = token.sequence.addingReportingOverflow(1)
        let end: [UInt8] = [StorageFormat.changeLogKeyspace + 1]
        return ByteRange(from: isBeyond ? end : key(first), upTo: end)
    }

    /// The position after the last change.
    func lastToken(in snapshot: any EngineSnapshot) throws(TreeError) -> SyncToken {
        try firstToken(in: snapshot, reverse: true) ?? .start
    }

    /// The position after one more change.
    func token(after token: SyncToken) throws(TreeError) -> SyncToken {
        let (sequence, isBeyond) = token.sequence.addingReportingOverflow(1)
        guard !isBeyond else { throw TreeError.corrupt("the change log has the last number that there is") }
        return SyncToken(sequence: sequence)
    }

    private func firstToken(in snapshot: any EngineSnapshot, reverse: Bool) throws(TreeError) -> SyncToken? {
        var sequence: UInt64?
        try snapshot.scan(Self.rows(after: .start), reverse: reverse) { key, _ throws(TreeError) in
            sequence = try key.bigEndian(at: 1)
            return false
        }
        return sequence.map(SyncToken.init(sequence:))
    }

    /// Writes the row of an update.
    func append(
        _ update: EncodedUpdate, token: SyncToken, timestampMilliseconds: Int64, in transaction: any EngineTransaction
    ) throws(TreeError) {
        var row: [UInt8] = []
        row.reserveCapacity(update.byteCount + 64)
        row.appendBigEndian(timestampMilliseconds)
        for write in update.writes {
            row.appendCounted(Array(write.key.dropFirst()))
            row.appendBigEndian(UInt32(truncatingIfNeeded: write.leaves.count))
            for leaf in write.leaves {
                row.appendCounted(leaf.path)
                row.appendCounted(leaf.value)
            }
        }
        try transaction.put(row, for: Self.key(token.sequence))
    }

    /// Drops what is older than the limit, now and then.
    func trim(after token: SyncToken, in transaction: any EngineTransaction) throws(TreeError) {
        guard token.sequence > limit + limit / 8,
            let oldest = try firstToken(in: transaction, reverse: false),
            token.sequence - oldest.sequence >= limit + limit / 8
        else { return }
        try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(token.sequence - limit + 1)))
    }

    /// The changes after a position, at most so many.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`.
    func changes(
        since token: SyncToken, limit: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [Change] {
        try check(token, in: snapshot)
        var changes: [Change] = []
        guard limit > 0 else { return changes }
        try snapshot.scan(Self.rows(after: token), reverse: false) { key, row throws(TreeError) in
            let sequence: UInt64 = try key.bigEndian(at: 1)
            changes.append(try Self.decode(row, token: SyncToken(sequence: sequence)))
            return changes.count < limit
        }
        return changes
    }

    private func check(_ token: SyncToken, in snapshot: any EngineSnapshot) throws(TreeError) {
        let last = try lastToken(in: snapshot)
        guard token <= last else {
            throw TreeError(
                .tokenUnknown, "token \(token) is ahead of the last change, \(last)",
                hint: "take a new snapshot and go on from its token")
        }
        let oldest = try firstToken(in: snapshot, reverse: false) ?? SyncToken(sequence: 1)
        guard token == last || token.sequence + 1 >= oldest.sequence else {
            throw TreeError(
                .tokenTooOld, "token \(token) is older than the oldest change kept, \(oldest)",
                hint: "take a new snapshot and go on from its token")
        }
    }

    private static func decode(_ row: Span<UInt8>, token: SyncToken) throws(TreeError) -> Change {
        var cursor = ByteCursor()
        let timestamp: UInt64 = try cursor.next(in: row)
        var writes: [TreeWrite] = []
        while cursor.offset < row.count {
            let path = try PathEncoding.decodePath(row.extracting(try cursor.nextRun(in: row)))
            let leafCount: UInt32 = try cursor.next(in: row)
            var builder = ValueBuilder()
            for _ in 0..<leafCount {
                let leafPath = try cursor.nextRun(in: row)
                let leaf = try cursor.nextRun(in: row)
                try builder.add(path: row.extracting(leafPath), leaf: row.extracting(leaf))
            }
            writes.append(TreeWrite(path: path, value: builder.finish()))
        }
        return Change(token: token, timestampMilliseconds: Int64(bitPattern: timestamp), writes: writes)
    }
}
