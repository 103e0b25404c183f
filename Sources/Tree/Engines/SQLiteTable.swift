/// The table of a database's rows, and that of their long values.
///
/// Stores from before rows had checksums get the column when they are opened: their rows have none until they are
/// written again. Programs from before then go on reading and writing such a store, and leave out the checksum.
enum SQLiteTable {
    /// Makes the table, or what it lacks.
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
