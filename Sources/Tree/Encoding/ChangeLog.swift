/// The committed updates in order, each in rows that are written in the transaction of the update itself.
///
/// The key is the sequence number; numbers begin at 1 and have no gap. A change of more than 960 bytes goes on in
/// further rows, whose keys have the number of the piece in 4 bytes behind: SQLite copies the whole of each row that it
/// compares on its way to another, so that long rows make every search beside them slow. But each piece is a search of its
/// own, which may pass a long row of data: a large change has fewer and longer pieces. The value, joined, is:
///
///     8 bytes                        milliseconds since 1970
///     00, or 01 and counted          a put, or a patch and the key below which it was asked for
///     for each write:
///       counted                      the key of a row at the node
///       4 bytes, counted             how many rows it has now, and the rows (``RowBlock``); none after a deletion
///
/// where a number is big endian and "counted" is a length in 4 bytes and then as many bytes.
struct ChangeLog: Sendable {
    /// The log is trimmed when there are an eighth more changes, or the oldest is an eighth older, than this says.
    let retention: ChangeRetention
    /// The most changes that one update removes for their age, so that it is not delayed.
    private static let maxAgedOut = 10_000

    /// The most bytes of a row that SQLite keeps in the page of its key, with pages of 4 KiB, are a few more.
    private static let pieceBytes = 960
    /// The most pieces of that length. A change that would need more is cut into about as many longer ones.
    private static let maxShortPieces = 128
    /// The shortest of these: most of the pages that it takes are full.
    private static let minLongPieceBytes = 16 << 10
    private static let keyBytes = 9

    private static func key(_ sequence: UInt64, piece: Int = 0) -> [UInt8] {
        var key = [StoreFormat.changeLogKeyspace]
        key.appendBigEndian(sequence)
        if piece > 0 { key.appendBigEndian(UInt32(piece)) }
        return key
    }

    /// The rows after a position.
    private static func rows(after token: SyncToken) -> ByteRange {
        let (first, isBeyond) = token.sequence.addingReportingOverflow(1)
        let end: [UInt8] = [StoreFormat.changeLogKeyspace + 1]
        return ByteRange(from: isBeyond ? end : key(first), upTo: end)
    }

    /// The position after the last change.
    func lastToken(in snapshot: any EngineSnapshot) throws(TreeError) -> SyncToken {
        try firstToken(in: snapshot, reverse: true) ?? .start
    }

    /// The position before the oldest change that is kept.
    func oldestToken(in snapshot: any EngineSnapshot) throws(TreeError) -> SyncToken {
        guard let first = try firstToken(in: snapshot, reverse: false) else { return .start }
        return SyncToken(sequence: max(first.sequence, 1) - 1)
    }

    /// The position after one more change.
    func token(after token: SyncToken) throws(TreeError) -> SyncToken {
        let (sequence, isBeyond) = token.sequence.addingReportingOverflow(1)
        guard !isBeyond else { throw TreeError.corrupt("the change log has the last number that there is") }
        return SyncToken(sequence: sequence)
    }

    private func firstToken(in snapshot: any EngineSnapshot, reverse: Bool) throws(TreeError) -> SyncToken? {
        guard let key = try snapshot.firstKey(in: Self.rows(after: .start), reverse: reverse) else { return nil }
        return SyncToken(sequence: try key.span.bigEndian(at: 1))
    }

    /// Writes the rows of a change.
    func append(_ change: EncodedChange, in transaction: any EngineTransaction) throws(TreeError) {
        let row = change.row
        let isLong = row.count > Self.maxShortPieces * Self.pieceBytes
        let length = isLong ? max(row.count / Self.maxShortPieces, Self.minLongPieceBytes) : Self.pieceBytes
        for (piece, start) in stride(from: 0, to: row.count, by: length).enumerated() {
            let key = Self.key(change.token.sequence, piece: piece)
            try transaction.put(row.span.extracting(start..<min(start + length, row.count)), for: key.span)
        }
    }

    /// Drops what is not to be kept any longer, now and then.
    func trim(
        after token: SyncToken, timestamp now: Timestamp, in transaction: any EngineTransaction
    ) throws(TreeError) {
        do throws(TreeError) {
            try dropOld(after: token, timestamp: now, in: transaction)
        } catch {
            // A row that cannot be read waits for ``HealthCheck``: no update has to do with it.
            guard error.damagedRow != nil else { throw error }
        }
    }

    /// Forgets the change of a row and all before it: whoever asks for these has to begin anew.
    ///
    /// - Throws: ``TreeError`` with code `corrupt` when it is the last one, whose number is the position of the store.
    func forget(upTo row: [UInt8], in transaction: any EngineTransaction) throws(TreeError) {
        let sequence: UInt64 = try row.span.bigEndian(at: 1)
        guard sequence < (try lastToken(in: transaction).sequence) else {
            throw TreeError.corrupt("the last change of the store cannot be read (\(StoreFormat.place(of: row)))")
        }
        try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(sequence + 1)))
    }

    private func dropOld(
        after token: SyncToken, timestamp now: Timestamp, in transaction: any EngineTransaction
    ) throws(TreeError) {
        guard let oldest = try firstChange(in: transaction) else { return }
        let count = UInt64(retention.count)
        if token.sequence - oldest.sequence >= count + count / 8 {
            try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(token.sequence - count + 1)))
        } else if now - oldest.timestamp > .milliseconds(retention.ageMilliseconds + retention.ageMilliseconds / 8) {
            var end = oldest.sequence
            try transaction.scan(Self.rows(after: .start), reverse: false) { key, row throws(TreeError) in
                guard key.count == Self.keyBytes else { return true }
                let sequence: UInt64 = try key.bigEndian(at: 1)
                guard now - (try time(of: row)) > .milliseconds(retention.ageMilliseconds), sequence < token.sequence,
                    sequence - oldest.sequence < Self.maxAgedOut
                else { return false }
                end = sequence + 1
                return true
            }
            try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(end)))
        }
    }

    /// Some of the changes, one after the other.
    struct Part: Sendable {
        /// The position behind them.
        let end: SyncToken
        let byteCount: Int
    }

    /// The changes after a position, up to the first that makes them as large as is asked for; nil where all are smaller.
    func part(
        after token: SyncToken, of byteCount: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> Part? {
        var (end, sum) = (token, 0)
        try snapshot.scan(Self.rows(after: token), reverse: false) { key, piece throws(TreeError) in
            if key.count == Self.keyBytes {
                guard sum < byteCount else { return false }
                end = SyncToken(sequence: try key.bigEndian(at: 1))
            }
            sum += key.count + piece.count
            return true
        }
        return sum < byteCount ? nil : Part(end: end, byteCount: sum)
    }

    /// Drops the changes up to a position that is not the last.
    func drop(through token: SyncToken, in transaction: any EngineTransaction) throws(TreeError) {
        try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(token.sequence + 1)))
    }

    /// The time of the commit of a change.
    private func time(of row: Span<UInt8>) throws(TreeError) -> Timestamp {
        let time: UInt64 = try row.bigEndian(at: 0)
        return Timestamp(milliseconds: Int64(clamping: time))
    }

    private func firstChange(
        in snapshot: any EngineSnapshot
    ) throws(TreeError) -> (sequence: UInt64, timestamp: Timestamp)? {
        var first: (UInt64, Timestamp)?
        try snapshot.scan(Self.rows(after: .start), reverse: false) { key, row throws(TreeError) in
            first = (try key.bigEndian(at: 1), try time(of: row))
            return false
        }
        return first
    }

    /// Visits the changes after a position, oldest first, until the visitor returns false.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`.
    func forEach(
        since token: SyncToken, in snapshot: any EngineSnapshot,
        _ visit: (EncodedChange) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try check(token, in: snapshot)
        var (row, last): ([UInt8], SyncToken) = ([], token)
        var isWanted = true
        try snapshot.scan(Self.rows(after: token), reverse: false) { key, piece throws(TreeError) in
            if key.count == Self.keyBytes {
                if !row.isEmpty { isWanted = try visit(EncodedChange(row: row.span, token: last)) }
                row.removeAll(keepingCapacity: true)
                last = SyncToken(sequence: try key.bigEndian(at: 1))
            }
            row.append(piece)
            return isWanted
        }
        if isWanted, !row.isEmpty { _ = try visit(EncodedChange(row: row.span, token: last)) }
    }

    /// The changes after a position, at most so many.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`.
    func changes(
        since token: SyncToken, limit: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [Change] {
        var changes: [Change] = []
        try forEach(since: token, in: snapshot) { change throws(TreeError) in
            guard changes.count < limit else { return false }
            changes.append(try Change(change))
            return true
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
}
