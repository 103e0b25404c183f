import Failpoints
import Glibc

/// The rows of a database as seen by one connection, and its transactions.
///
/// Each row is checked against its ``RowChecksum`` when its value is read. Errors for damage include the position.
///
/// All statements are prepared once, when the connection is opened. They must be used only on the connection's thread.
final class SQLiteRows: EngineTransaction {
    /// The largest number of pages that are checked at once: 256 MiB in pages of 4 KiB.
    private static let maxPagesAtOnce = 1 << 16

    let connection: SQLiteConnection
    private let begin, beginImmediate, commit, rollback: SQLiteStatement
    private let select, scanUp, scanDown, firstUp, firstDown, insert, insertWithoutValue, delete: SQLiteStatement
    private var longValues: SQLiteLongValues

    init(_ connection: SQLiteConnection) throws(TreeError) {
        func prepare(_ sql: String) throws(TreeError) -> SQLiteStatement { try SQLiteStatement(sql, on: connection) }
        self.connection = connection
        begin = try prepare("BEGIN")
        beginImmediate = try prepare("BEGIN IMMEDIATE")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")
        select = try prepare("SELECT value, checksum FROM entries WHERE key = ?")
        scanUp = try prepare("SELECT key, value, checksum FROM entries WHERE key >= ? AND key < ? ORDER BY key")
        scanDown = try prepare("SELECT key, value, checksum FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC")
        // These statements do not read the value.
        firstUp = try prepare("SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT 1")
        firstDown = try prepare("SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1")
        insert = try prepare("REPLACE INTO entries (key, value, checksum) VALUES (?, ?, ?)")
        insertWithoutValue = try prepare("REPLACE INTO entries (key, value, checksum) VALUES (?, 1, ?)")
        delete = try prepare("DELETE FROM entries WHERE key >= ? AND key < ?")
        longValues = try SQLiteLongValues(connection)
    }

    /// Begins a transaction that reads the current state.
    func beginReading() throws(TreeError) {
        try begin.run()
        // The first read fixes the state.
        _ = try firstKey(in: .all, reverse: false)
    }

    /// Ends a reading or failed transaction in any state, without writing anything.
    func end() {
        // Some failures have already rolled back the transaction.
        if connection.isInTransaction { try? rollback.run() }
    }

    /// Runs a body in a writing transaction. It is durable when this returns, and undone if this throws.
    ///
    /// - Parameter commitFailed: Called if the commit itself failed, which may leave its pages in the log.
    func write<Result>(
        _ body: (any EngineTransaction) throws(TreeError) -> Result, commitFailed: () -> Void
    ) throws(TreeError) -> Result {
        var isCommitting = false
        do {
            try Failpoint.begin.around { () throws(TreeError) in try beginImmediate.run() }
            try longValues.beginWriting()
            let result = try body(self)
            isCommitting = true
            try Failpoint.commit.around { () throws(TreeError) in try commit.run() }
            return result
        } catch {
            end()
            if isCommitting { commitFailed() }
            throw error
        }
    }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        var value: [UInt8]?
        do {
            try select.run(key.span) { row throws(TreeError) in
                let found = row.isInteger(at: 0) ? try longValues.value(for: key.span) : Array(row.blob(at: 0))
                try RowChecksum.check(row.integer(at: 1), key: key.span, value: found.span)
                value = found
                return false
            }
        } catch {
            throw error.met(readingFrom: key)
        }
        return value
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        do {
            try (reverse ? scanDown : scanUp).run(range.lower.span, range.upper.span) { row throws(TreeError) in
                let key = row.blob(at: 0)
                if row.isInteger(at: 1) {
                    let value = try longValues.value(for: key.span)
                    try RowChecksum.check(row.integer(at: 2), key: key.span, value: value.span)
                    return try visitRow(key.span, value.span, visit)
                }
                let value = row.blob(at: 1)
                try RowChecksum.check(row.integer(at: 2), key: key.span, value: value.span)
                return try visitRow(key.span, value.span, visit)
            }
        } catch {
            throw error.met(readingFrom: range.lower)
        }
    }

    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        var key: [UInt8]?
        try (reverse ? firstDown : firstUp).run(range.lower.span, range.upper.span) { row throws(TreeError) in
            key = Array(row.blob(at: 0))
            return false
        }
        return key
    }

    func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError) {
        let checksum = RowChecksum.of(key: key, value: value)
        try longValues.remove(from: key, upTo: (key.copied + [0]).span)
        guard value.count > SQLiteLongValues.maxBytesInRow else {
            try insert.bind(checksum, at: 3)
            return try insert.run(key, value)
        }
        try insertWithoutValue.bind(checksum, at: 2)
        try insertWithoutValue.run(key)
        try longValues.add(value, for: key)
    }

    /// Lets SQLite check all pages of the database, unless that would take longer than some seconds.
    ///
    /// - Throws: ``TreeError`` with code `corrupt` and SQLite's message.
    func checkStructure() throws(TreeError) {
        guard try connection.number("page_count") <= Self.maxPagesAtOnce else { return }
        try SQLiteStatement("PRAGMA quick_check(1)", on: connection).run { row throws(TreeError) in
            guard row.text(at: 0) == "ok" else { throw TreeError.corrupt("SQLite reports: \(row.text(at: 0))") }
            return true
        }
    }

    func remove(_ range: ByteRange) throws(TreeError) {
        try delete.run(range.lower.span, range.upper.span)
        try longValues.remove(from: range.lower.span, upTo: range.upper.span)
    }
}

extension Failpoint {
    /// Runs a step of the engine with the failpoint before and after it.
    func around(_ step: () throws(TreeError) -> Void) throws(TreeError) {
        let failure = pass(.before)
        guard failure == 0 else { throw TreeError(.io, "\(rawValue): \(String(cString: strerror(failure)))") }
        try step()
        _ = pass(.after)
    }
}
