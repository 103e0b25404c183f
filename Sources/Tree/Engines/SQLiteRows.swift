import GRDB
import GRDBSQLite

/// The rows of the database, within one transaction of one connection.
///
/// Statements are GRDB's, prepared once a connection; they are bound and stepped by SQLite's own calls, because a write
/// takes ten of them and a page hundreds of rows, none of which should become a Foundation object on the way.
struct SQLiteRows: EngineTransaction {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
        var value: [UInt8]?
        try run("SELECT value FROM entries WHERE key = ?", key, nil) { statement throws(TreeError) in
            value = Array(Self.column(0, of: statement))
            return false
        }
        return value
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        let sql =
            reverse
            ? "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC"
            : "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key"
        try run(sql, range.lower, range.upper) { statement throws(TreeError) in
            try visit(Self.column(0, of: statement).span, Self.column(1, of: statement).span)
        }
    }

    func put(_ value: [UInt8], for key: [UInt8]) throws(TreeError) {
        try run("REPLACE INTO entries (key, value) VALUES (?, ?)", key, value)
    }

    func remove(_ range: ByteRange) throws(TreeError) {
        try run("DELETE FROM entries WHERE key >= ? AND key < ?", range.lower, range.upper)
    }

    /// Runs a statement with one or two blobs, and calls the visitor for each row until it returns false.
    private func run(
        _ sql: String, _ first: [UInt8], _ second: [UInt8]?,
        _ visit: (OpaquePointer) throws(TreeError) -> Bool = { _ in true }
    ) throws(TreeError) {
        let statement = try prepare(sql)
        // The statement is left without a row and without bindings, whatever happens: SQLite does not copy the blobs.
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try first.withUnsafeBufferPointer { first throws(TreeError) in
            try (second ?? []).withUnsafeBufferPointer { rest throws(TreeError) in
                try bind(first, to: statement, at: 1)
                if second != nil { try bind(rest, to: statement, at: 2) }
                try step(statement, visit)
            }
        }
    }

    private func prepare(_ sql: String) throws(TreeError) -> OpaquePointer {
        do {
            return try database.cachedStatement(sql: sql).sqliteStatement
        } catch {
            throw TreeError(sqlite: error)
        }
    }

    private func bind(
        _ blob: UnsafeBufferPointer<UInt8>, to statement: OpaquePointer, at index: Int32
    ) throws(TreeError) {
        // A null pointer would bind NULL.
        let code =
            blob.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob64(statement, index, blob.baseAddress, UInt64(blob.count), nil)
        guard code == SQLITE_OK else { throw failure(of: statement) }
    }

    private func step(
        _ statement: OpaquePointer, _ visit: (OpaquePointer) throws(TreeError) -> Bool
    ) throws(TreeError) {
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: guard try visit(statement) else { return }
            case SQLITE_DONE: return
            default: throw failure(of: statement)
            }
        }
    }

    /// A blob of the current row; valid until the next step.
    private static func column(_ index: Int32, of statement: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
        let blob = sqlite3_column_blob(statement, index)?.assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: blob, count: blob == nil ? 0 : Int(sqlite3_column_bytes(statement, index)))
    }

    private func failure(of statement: OpaquePointer) -> TreeError {
        let connection = sqlite3_db_handle(statement)
        return TreeError(
            sqliteCode: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)))
    }
}
