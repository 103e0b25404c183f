#if canImport(SQLite3)
    import SQLite3
#else
    import CSystemSQLite
#endif

/// A connection to a file of SQLite with one table of records. Not for use by two threads at a time.
final class SQLiteConnection {
    /// The version of the table (`user_version`).
    private static let version = 1

    private let database: OpaquePointer
    /// The prepared statements by their texts.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a file, which is created if it does not exist.
    ///
    /// - Throws: `RecordStoreError`.
    init(path: String) throws {
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &database, flags, nil)
        guard code == SQLITE_OK, let database else {
            let error = Self.error(code, database)
            sqlite3_close_v2(database)
            throw error
        }
        self.database = database
        try prepareFile()
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    private func prepareFile() throws {
        sqlite3_busy_timeout(database, 10_000)
        for pragma in ["journal_mode=WAL", "fullfsync=1", "checkpoint_fullfsync=1", "trusted_schema=0"] {
            try execute("PRAGMA \(pragma)")
        }
        let version = try query("PRAGMA user_version") { Int(sqlite3_column_int64($0, 0)) }.first ?? 0
        guard version <= Self.version else { throw RecordStoreError.laterVersion(version) }
        guard version < Self.version else { return }
        try transact {
            try execute(
                """
                CREATE TABLE IF NOT EXISTS record (
                    name TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (name, key)
                ) WITHOUT ROWID
                """)
            try execute("PRAGMA user_version=\(Self.version)")
        }
    }

    /// Chooses the promise of the next transactions.
    func setDurability(_ durability: Durability) throws {
        try execute("PRAGMA synchronous=\(durability == .powerCut ? "FULL" : "NORMAL")")
    }

    /// Runs a transaction that writes, and rolls it back if the body throws.
    func transact<Result>(_ body: () throws -> Result) throws -> Result {
        try inTransaction("BEGIN IMMEDIATE", body)
    }

    /// Runs reads of one state.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result { try inTransaction("BEGIN", body) }

    private func inTransaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors of SQLite, such as of a full disk, have rolled it back already.
            if sqlite3_get_autocommit(database) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func execute(_ text: String) throws { _ = try query(text) { _ in } }

    /// Runs a statement and returns its rows.
    private func query<Row>(
        _ text: String, _ parameters: [Parameter] = [], _ row: (OpaquePointer) throws -> Row
    ) throws -> [Row] {
        let statement = try statement(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, parameter) in parameters.enumerated() { try bind(parameter, Int32(index + 1), to: statement) }
        var rows: [Row] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(try row(statement))
            case SQLITE_DONE: return rows
            case let code: throw Self.error(code, database)
            }
        }
    }

    private func statement(_ text: String) throws -> OpaquePointer {
        if let known = statements[text] { return known }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, database) }
        statements[text] = statement
        return statement
    }

    private enum Parameter {
        case text(String)
        case bytes([UInt8])
        case integer(Int64)
    }

    private func bind(_ parameter: Parameter, _ index: Int32, to statement: OpaquePointer) throws {
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch parameter {
            case .text(let text): sqlite3_bind_text(statement, index, text, Int32(clamping: text.utf8.count), copied)
            case .bytes(let bytes):
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), copied)
            case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
            }
        guard code == SQLITE_OK else { throw Self.error(code, database) }
    }

    private static func error(_ code: Int32, _ database: OpaquePointer?) -> RecordStoreError {
        let message = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "no memory"
        return switch code & 0xff {
        case SQLITE_FULL: .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(message)
        default: .failed("\(message) (\(code))")
        }
    }
}

extension SQLiteConnection: RecordWriter {
    func value(_ key: RecordKey) throws -> [UInt8]? {
        try query(
            "SELECT value FROM record WHERE name = ? AND key = ?", [.text(key.table), .text(key.key)]
        ) { Self.bytes($0, 0) }.first
    }

    func records(
        _ table: String, in range: RecordRange, isDescending: Bool, limit: Int
    ) throws -> [Record] {
        try query(
            """
            SELECT key, value FROM record WHERE name = ? AND key >= ? AND key < ?
            ORDER BY key \(isDescending ? "DESC" : "ASC") LIMIT ?
            """,
            [.text(table), .text(range.lower), .text(range.upper), .integer(Int64(limit))]
        ) { Record(key: String(decoding: Self.bytes($0, 0), as: UTF8.self), value: Self.bytes($0, 1)) }
    }

    func count(_ table: String, in range: RecordRange) throws -> Int {
        try query(
            "SELECT count(*) FROM record WHERE name = ? AND key >= ? AND key < ?",
            [.text(table), .text(range.lower), .text(range.upper)]
        ) { Int(sqlite3_column_int64($0, 0)) }.first ?? 0
    }

    func set(_ value: [UInt8]?, for key: RecordKey) throws {
        if let value {
            _ = try query(
                "INSERT INTO record (name, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                [.text(key.table), .text(key.key), .bytes(value)]) { _ in }
        } else {
            _ = try query(
                "DELETE FROM record WHERE name = ? AND key = ?", [.text(key.table), .text(key.key)]) { _ in }
        }
    }

    private static func bytes(_ row: OpaquePointer, _ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(row, column))
        guard count > 0, let address = sqlite3_column_blob(row, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }
}
