import CSystemSQLite

extension TreeError {
    /// Creates the error of the last call on a connection.
    init(connection: OpaquePointer?) {
        let code = sqlite3_extended_errcode(connection)
        var message = String(cString: sqlite3_errmsg(connection))
        // No other part of the error identifies the disk to check.
        if Self.meaning(of: code).code == .readOnly, let path = sqlite3_db_filename(connection, "main") {
            message += ", \(String(cString: path))"
        }
        self.init(sqliteCode: code, message: message)
    }

    /// Creates the error for a result code; primary and extended codes as on sqlite.org/rescode.html.
    init(sqliteCode: Int32, message: String) {
        let (code, hint) = Self.meaning(of: sqliteCode)
        self.init(code, "SQLite reports: \(message) (code \(sqliteCode))", hint: hint)
    }

    /// The code SQLITE_IOERR_NOMEM, which C defines by an expression that is not imported.
    private static let outOfMemoryWhileReading = SQLITE_IOERR | 12 << 8

    /// The code SQLITE_IOERR_SHMSIZE: there is no space for the memory that connections share.
    private static let noRoomForSharedMemory = SQLITE_IOERR | 19 << 8

    private static func meaning(of sqliteCode: Int32) -> (code: Code, hint: String?) {
        if sqliteCode == noRoomForSharedMemory { return (.diskFull, "Free some space and try again.") }
        if sqliteCode == outOfMemoryWhileReading { return (.outOfMemory, "Free some memory and try again.") }
        switch sqliteCode & 0xFF {
        case SQLITE_FULL: return (.diskFull, "Free some space and try again.")
        case SQLITE_IOERR, SQLITE_PROTOCOL: return (.io, "Check the disk and the system's log, then try again.")
        case SQLITE_BUSY, SQLITE_LOCKED: return (.busy, "Wait for the other process to finish and try again.")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return (.readOnly, "Make the file and its folder writable.")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: return (.corrupt, hintOfDamage)
        case SQLITE_CANTOPEN: return (.cannotOpen, "Check the folder and its permissions.")
        case SQLITE_NOMEM: return (.outOfMemory, "Free some memory and try again.")
        case SQLITE_TOOBIG: return (.tooLarge, "Write less at once.")
        case SQLITE_INTERRUPT: return (.cancelled, nil)
        default: return (.engine, nil)
        }
    }
}
