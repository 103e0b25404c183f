/// The tables of a database's rows and of their long values.
///
/// Stores from before checksums were introduced get the column when they are opened; their rows have no checksum until
/// they are written again. Older programs can still read and write such a store, and leave out the checksum.
enum SQLiteTable {
    /// Creates missing tables and columns.
    static func make(on connection: SQLiteConnection) throws(TreeError) {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER)
            WITHOUT ROWID
            """)
        var hasChecksums = false
        let column = "SELECT 1 FROM pragma_table_info('entries') WHERE name = 'checksum'"
        try SQLiteStatement(column, on: connection).run { _ throws(TreeError) in
            hasChecksums = true
            return false
        }
        if !hasChecksums { try connection.execute("ALTER TABLE entries ADD COLUMN checksum INTEGER") }
        try SQLiteLongValues.makeTable(on: connection)
    }
}
