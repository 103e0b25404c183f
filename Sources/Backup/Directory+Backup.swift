import Files

extension Directory {
    /// Acquires the lock that allows writing in a folder of backups.
    func lockForBackups() throws(FileError) -> FolderLock {
        do throws(FileError) {
            return try FolderLock(in: self)
        } catch  where error.code == .locked {
            throw FileError(.locked, error.message, hint: "Wait until that process has ended.")
        }
    }

    /// Whether a piece exists, judged by its trailer. Blocks.
    func hasPiece(_ path: [String], of bytes: [UInt8]) -> Bool {
        guard let file = try? folder(below: path.dropLast()).file(path.last ?? ""),
            let byteCount = try? file.byteCount(),
            let end = try? file.read(at: max(0, byteCount - Gzip.endBytes), maxBytes: Gzip.endBytes)
        else { return false }
        return Gzip.isEnd(end, of: bytes)
    }
}
