import Files

extension Directory {
    /// Takes the right to write in a folder of backups.
    func lockForBackups() throws(FileError) -> FolderLock {
        do throws(FileError) {
            return try FolderLock(in: self)
        } catch  where error.code == .locked {
            throw FileError(.locked, error.message, hint: "wait until that process has ended")
        }
    }

    /// Whether a piece is there, as far as its end tells. Blocks.
    func hasPiece(_ path: [String], of bytes: [UInt8]) -> Bool {
        guard let file = try? folder(below: path.dropLast()).file(path.last ?? ""),
            let byteCount = try? file.byteCount(),
            let end = try? file.read(at: max(0, byteCount - Gzip.endBytes), maxBytes: Gzip.endBytes)
        else { return false }
        return Gzip.isEnd(end, of: bytes)
    }
}
