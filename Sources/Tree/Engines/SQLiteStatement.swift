import CSystemSQLite

/// A prepared statement that is run repeatedly; it must be used only on its connection's thread.
final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ sql: String, on connection: SQLiteConnection) throws(TreeError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw TreeError(connection: connection.handle) }
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement and calls the visitor for each row until it returns false.
    func run(_ visit: (borrowing Row) throws(TreeError) -> Bool = { _ in true }) throws(TreeError) {
        defer { sqlite3_reset(handle) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: guard try visit(Row(statement: handle)) else { return }
            case SQLITE_DONE: return
            default: throw failure
            }
        }
    }

    /// Runs the statement with a blob as its parameter.
    ///
    /// SQLite does not copy the blob. It stays bound after the call, but the next run binds a new one before the
    /// statement accesses it.
    func run(_ blob: Span<UInt8>, _ visit: (borrowing Row) throws(TreeError) -> Bool = { _ in true }) throws(TreeError)
    {
        try blob.withUnsafeBufferPointer { blob throws(TreeError) in
            try bind(blob, at: 1)
            try run(visit)
        }
    }

    /// Runs the statement with blobs as its two parameters.
    func run(
        _ first: Span<UInt8>, _ second: Span<UInt8>,
        _ visit: (borrowing Row) throws(TreeError) -> Bool = { _ in true }
    ) throws(TreeError) {
        try second.withUnsafeBufferPointer { second throws(TreeError) in
            try bind(second, at: 2)
            try run(first, visit)
        }
    }

    /// Binds an integer, which stays bound until it is replaced.
    func bind(_ integer: Int32, at index: Int32) throws(TreeError) {
        guard sqlite3_bind_int(handle, index, integer) == SQLITE_OK else { throw failure }
    }

    private func bind(_ blob: UnsafeBufferPointer<UInt8>, at index: Int32) throws(TreeError) {
        // A null pointer would bind NULL.
        let code =
            blob.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : sqlite3_bind_blob64(handle, index, blob.baseAddress, UInt64(blob.count), nil)
        guard code == SQLITE_OK else { throw failure }
    }

    private var failure: TreeError { TreeError(connection: sqlite3_db_handle(handle)) }

    /// The current row of a running statement.
    struct Row: ~Copyable {
        fileprivate let statement: OpaquePointer

        /// Returns a blob of the row; valid until the visitor returns.
        func blob(at index: Int32) -> UnsafeBufferPointer<UInt8> {
            let blob = sqlite3_column_blob(statement, index)?.assumingMemoryBound(to: UInt8.self)
            return UnsafeBufferPointer(
                start: blob, count: blob == nil ? 0 : Int(sqlite3_column_bytes(statement, index)))
        }

        /// Returns a number of the row; nil if it is NULL.
        func integer(at index: Int32) -> Int64? {
            sqlite3_column_type(statement, index) == SQLITE_NULL ? nil : sqlite3_column_int64(statement, index)
        }

        /// Whether a column contains an integer.
        func isInteger(at index: Int32) -> Bool { sqlite3_column_type(statement, index) == SQLITE_INTEGER }

        /// Returns a text of the row.
        func text(at index: Int32) -> String {
            sqlite3_column_text(statement, index).map { String(cString: $0) } ?? ""
        }
    }
}
