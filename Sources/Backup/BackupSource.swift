import API
package import Files

/// Where backups are read from: a folder or an archive.
package protocol BackupSource: Sendable {
    /// The path, for people.
    var path: String { get }

    /// The backups that are there, the oldest first.
    func states() async throws -> [BackupState]

    /// The bytes of the piece with a name, which is their SHA-256.
    ///
    /// - Throws: `Failure` `backup_damaged` when they have another one.
    func piece(_ name: String) async throws -> [UInt8]

    /// Opens a file of the blob store; to be asked for in the order of the list.
    func blob(_ line: FileLine) async throws -> FileRange

    /// Opens another file.
    func other(_ line: FileLine) async throws -> FileRange
}

extension BackupSource {
    /// The lines of a list.
    func list(_ pieces: [String]) -> FileListReader { FileListReader(pieces) { try await piece($0) } }

    /// Checks what was read of a piece.
    func plain(_ compressed: [UInt8], of name: String) throws(Failure) -> [UInt8] {
        guard let bytes = Gzip.decompress(compressed, maxBytes: BackupLayout.maxPieceBytes), sha256(of: bytes) == name
        else {
            throw Failure(
                .backupDamaged,
                "\(path): the bytes of \(BackupLayout.piece(name).joined(separator: "/")) are not what was written",
                hint: "take another backup, or another copy of this one")
        }
        return bytes
    }

    /// The newest backup.
    ///
    /// - Throws: `Failure` `not_a_backup` when there is none.
    package func newest() async throws -> BackupState {
        guard let state = try await states().last else {
            throw Failure(
                .notBackup, "\(path) has no backup that was finished", hint: "make one: tintype backup \(path)")
        }
        return state
    }
}

/// Where a backup's parts are, in its folder as in its archive.
enum BackupLayout {
    /// A row of the tree has up to some ten megabytes.
    static let maxPieceBytes = 256 << 20
    static let blobs = "blobs"
    static let backups = "backups"

    static func piece(_ name: String) -> [String] { ["pieces", String(name.prefix(2)), "\(name).gz"] }
    static func blob(_ line: FileLine) -> [String] { [blobs] + line.names }
    static func other(_ sha256: String) -> [String] { ["others", String(sha256.prefix(2)), sha256] }
    static func state(_ token: UInt64) -> [String] { [backups, "\(token).json"] }
}
