/// The committed updates in order, each in rows that are written in the transaction of the update.
///
/// The key is the sequence number. Numbers begin at 1 and have no gaps. A change of more than 960 bytes is split into
/// several rows; the keys of the further rows end with the number of the piece in 4 bytes. SQLite copies the whole of
/// each row that it compares during a search, so that long rows slow down every search near them. But each piece is a
/// search of its own, which may pass a long row of data; a large change is therefore split into fewer and longer
/// pieces. The joined value is:
///
///     8 bytes                        milliseconds since 1970
///     00, or 01 and counted          a put, or a patch and the key below which it was requested
///     for each write:
///       counted                      the key of the node's row
///       4 bytes, counted             the new number of rows, and the rows (``RowBlock``); none after a deletion
///
/// Numbers are big endian. "counted" means a length in 4 bytes, followed by that number of bytes.
struct ChangeLog: Sendable {
    /// The limits of the log. It is trimmed when the number of changes or the age of the oldest exceeds its limit by an
    /// eighth.
    let retention: ChangeRetention
    /// The largest number of changes that one update removes because of their age, so that the update is not delayed.
    private static let maxAgedOut = 10_000

    /// The length of a short piece, in bytes. It is slightly less than the longest row that SQLite stores in the page
    /// of its key, with pages of 4 KiB.
    private static let pieceBytes = 960
    /// The largest number of short pieces. A longer change is split into about as many longer pieces.
    private static let maxShortPieces = 128
    /// The smallest length of a long piece, in bytes, chosen so that most of its pages are full.
    private static let minLongPieceBytes = 16 << 10
    private static let keyBytes = 9

    private static func key(_ sequence: UInt64, piece: Int = 0) -> [UInt8] {
        var key = [StoreFormat.changeLogKeyspace]
        key.appendBigEndian(sequence)
        if piece > 0 { key.appendBigEndian(UInt32(piece)) }
        return key
    }

    /// Returns the range of the rows after a position.
    private static func rows(after token: SyncToken) -> ByteRange {
        let (first, isBeyond) = token.sequence.addingReportingOverflow(1)
        let end: [UInt8] = [StoreFormat.changeLogKeyspace + 1]
        return ByteRange(from: isBeyond ? end : key(first), upTo: end)
    }

    /// Returns the position after the last change.
    func lastToken(in snapshot: any EngineSnapshot) throws(TreeError) -> SyncToken {
        try firstToken(in: snapshot, reverse: true) ?? .start
    }

    /// Returns the position before the oldest change that is kept.
    func oldestToken(in snapshot: any EngineSnapshot) throws(TreeError) -> SyncToken {
        guard let first = try firstToken(in: snapshot, reverse: false) else { return .start }
        return SyncToken(sequence: max(first.sequence, 1) - 1)
    }

    /// Returns the position after one more change.
    func token(after token: SyncToken) throws(TreeError) -> SyncToken {
        let (sequence, isBeyond) = token.sequence.addingReportingOverflow(1)
        guard !isBeyond else { throw TreeError.corrupt("the change log has reached the largest sequence number") }
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

    /// Drops changes that exceed the limits by an eighth.
    func trim(
        after token: SyncToken, timestamp now: Timestamp, in transaction: any EngineTransaction
    ) throws(TreeError) {
        do throws(TreeError) {
            try dropOld(after: token, timestamp: now, in: transaction)
        } catch {
            // An unreadable row is left to ``HealthCheck``; it does not fail the update.
            guard error.damagedRow != nil else { throw error }
        }
    }

    /// Removes the change of a row and all changes before it. Clients that request these must start again from a
    /// snapshot.
    ///
    /// - Throws: ``TreeError`` with code `corrupt` if it is the last change, whose number is the position of the store.
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

    /// A run of consecutive changes.
    struct Part: Sendable {
        /// The position after the last change of the part.
        let end: SyncToken
        let byteCount: Int
    }

    /// Returns the shortest run of changes after a position that has at least this size; nil if all changes together
    /// are smaller.
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

    /// Drops the changes up to a position, which must be before the last change.
    func drop(through token: SyncToken, in transaction: any EngineTransaction) throws(TreeError) {
        try transaction.remove(ByteRange(from: Self.key(0), upTo: Self.key(token.sequence + 1)))
    }

    /// Returns the commit time of a change.
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
        try forEachRow(since: token, in: snapshot) { row, token throws(TreeError) in
            try visit(EncodedChange(row: row, token: token))
        }
    }

    /// Visits the rows of the changes after a position, as ``forEach(since:in:_:)`` does the decoded changes.
    func forEachRow(
        since token: SyncToken, in snapshot: any EngineSnapshot,
        _ visit: (Span<UInt8>, SyncToken) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try check(token, in: snapshot)
        var (row, last): ([UInt8], SyncToken) = ([], token)
        var isWanted = true
        try snapshot.scan(Self.rows(after: token), reverse: false) { key, piece throws(TreeError) in
            if key.count == Self.keyBytes {
                if !row.isEmpty { isWanted = try visit(row.span, last) }
                row.removeAll(keepingCapacity: true)
                last = SyncToken(sequence: try key.bigEndian(at: 1))
            }
            row.append(piece)
            return isWanted
        }
        if isWanted, !row.isEmpty { _ = try visit(row.span, last) }
    }

    /// Returns the changes after a position, up to a limit.
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
                hint: "Take a new snapshot and continue from its token.")
        }
        let oldest = try firstToken(in: snapshot, reverse: false) ?? SyncToken(sequence: 1)
        guard token == last || token.sequence + 1 >= oldest.sequence else {
            throw TreeError(
                .tokenTooOld, "token \(token) is older than the oldest change kept, \(oldest)",
                hint: "Take a new snapshot and continue from its token.")
        }
    }
}
