import GRDB

extension TreeError {
    /// What a failure of GRDB, or of a body that ran inside it, means to the tree.
    init(sqlite error: any Error) {
        switch error {
        case let error as TreeError:
            self = error
        case let error as DatabaseError:
            self.init(
                sqliteCode: error.extendedResultCode.rawValue,
                message: error.message ?? error.resultCode.description, cause: error)
        case is CancellationError:
            self.init(.cancelled, "the reading task was cancelled")
        default:
            self.init(.engine, "\(error)", cause: error)
        }
    }

    /// What a result code means; primary and extended codes as on sqlite.org/rescode.html.
    init(sqliteCode: Int32, message: String, cause: (any Error)? = nil) {
        let (code, hint) = Self.meaning(of: ResultCode(rawValue: sqliteCode))
        self.init(code, "SQLite says: \(message) (code \(sqliteCode))", hint: hint, cause: cause)
    }

    private static func meaning(of result: ResultCode) -> (code: Code, hint: String?) {
        if result == .SQLITE_IOERR_NOMEM { return (.outOfMemory, "free some memory and try again") }
        switch result.primaryResultCode {
        case .SQLITE_FULL: return (.diskFull, "free some space and try again")
        case .SQLITE_IOERR, .SQLITE_PROTOCOL: return (.io, "check the disk and the system's log, then try again")
        case .SQLITE_BUSY, .SQLITE_LOCKED: return (.busy, "let the other process finish and try again")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: return (.readOnly, "make the file and its folder writable")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: return (.corrupt, "restore the store from a backup")
        case .SQLITE_CANTOPEN: return (.cannotOpen, "check the folder and its permissions")
        case .SQLITE_NOMEM: return (.outOfMemory, "free some memory and try again")
        case .SQLITE_TOOBIG: return (.tooLarge, "write less at once")
        case .SQLITE_INTERRUPT: return (.cancelled, nil)
        // What GRDB says of a connection that was closed.
        case .SQLITE_MISUSE: return (.closed, nil)
        default: return (.engine, nil)
        }
    }
}
