/// The long values of a database, in a separate table.
///
/// The rows of `entries` are stored in the pages of its keys, and SQLite copies the whole of each row that a search
/// compares with its key. A single value of 10 MB on an inner page would delay every read and write that passes it. A
/// long value is therefore stored in this table, and its row contains the integer 1 instead. Rows that were written
/// before this table was introduced keep their values.
///
/// (Of tables `WITHOUT ROWID`: https://www.sqlite.org/withoutrowid.html, section 4.)
///
/// It must be used only on the connection's thread.
struct SQLiteLongValues {
    /// The longest value that stays in its row, in bytes.
    static let maxBytesInRow = 16 << 10

    private let select, first, insert, delete: SQLiteStatement
    /// Whether there are no long values, so that writes need not look for old ones.
    private var isEmpty = false

    /// Creates the table.
    static func makeTable(on connection: SQLiteConnection) throws(TreeError) {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS long_values (key BLOB NOT NULL UNIQUE, value BLOB NOT NULL)")
    }

    init(_ connection: SQLiteConnection) throws(TreeError) {
        select = try SQLiteStatement("SELECT value FROM long_values WHERE key = ?", on: connection)
        first = try SQLiteStatement("SELECT 1 FROM long_values LIMIT 1", on: connection)
        insert = try SQLiteStatement("INSERT INTO long_values (key, value) VALUES (?, ?)", on: connection)
        delete = try SQLiteStatement("DELETE FROM long_values WHERE key >= ? AND key < ?", on: connection)
    }

    /// Begins a writing transaction.
    mutating func beginWriting() throws(TreeError) {
        var isEmpty = true
        try first.run { _ throws(TreeError) in
            isEmpty = false
            return false
        }
        self.isEmpty = isEmpty
    }

    /// Returns the long value of a row.
    ///
    /// - Throws: ``TreeError`` with code `corrupt` and the ``DamagedRow`` if the value is missing; or SQLite's failure.
    func value(for key: Span<UInt8>) throws(TreeError) -> [UInt8] {
        var value: [UInt8]?
        try select.run(key) { row throws(TreeError) in
            value = Array(row.blob(at: 0))
            return false
        }
        guard let value else {
            throw TreeError.damaged("a row in the store lacks its long value", key: key.copied, value: nil)
        }
        return value
    }

    /// Adds a value for a key without one.
    mutating func add(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError) {
        isEmpty = false
        try insert.run(key, value)
    }

    /// Removes the values of a range of keys, if there are any.
    func remove(from lower: Span<UInt8>, upTo upper: Span<UInt8>) throws(TreeError) {
        if !isEmpty { try delete.run(lower, upper) }
    }
}
