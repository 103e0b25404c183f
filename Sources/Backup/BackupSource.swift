import API
import Cryptography
package import Files

/// Where backups are read from: a folder or an archive.
package protocol BackupSource: Sendable {
    /// The path, for people.
    var path: String { get }

    /// The backups that are there, the oldest first, without those whose description cannot be read.
    func states() async throws -> [BackupState]

    /// The descriptions of backups that cannot be read, by their paths.
    func unreadable() async throws -> [String]

    /// Notes what a verification has found damaged, by its path, in the place of what the last one has.
    func mark(damaged paths: [String]) async throws

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
    ///
    /// - Parameter skipsDamaged: Whether pieces that are damaged are left out.
    func list(_ pieces: [String], skipsDamaged: Bool = false) -> FileListReader {
        FileListReader(pieces, skipsDamaged: skipsDamaged) { try await piece($0) }
    }

    /// Checks what was read of a piece.
    func plain(_ compressed: [UInt8], of name: String) throws(Failure) -> [UInt8] {
        guard let bytes = Gzip.decompress(compressed, maxBytes: BackupLayout.maxPieceBytes), sha256(of: bytes) == name
        else {
            throw Failure(
                .backupDamaged,
                "\(path): the bytes of \(BackupLayout.piece(name).joined(separator: "/")) are not what was written",
                hint: "restore an earlier backup (--at), or use another copy of this one")
        }
        return bytes
    }

    /// The newest backup.
    ///
    /// - Throws: `Failure` `not_a_backup` when there is none.
    package func newest() async throws -> BackupState {
        guard let state = try await states().last else {
            if let path = try await unreadable().last { throw Self.unreadable(path) }
            throw Failure(
                .notBackup, "\(path) has no backup that was finished", hint: "make one: tintype backup \(path)")
        }
        return state
    }

    /// The failure for a description that cannot be read.
    static func unreadable(_ path: String) -> Failure {
        Failure(
            .backupDamaged, "\(path) cannot be read: it tells what a backup has",
            hint: "put another copy of it in its place, or delete it")
    }
}

extension FindingDocument {
    /// A part of a folder of backups that is damaged.
    static func damaged(_ path: [String], _ message: String) -> FindingDocument {
        FindingDocument(.backupDamaged, path: path.joined(separator: "/"), message: message)
    }

    /// A backup whose description cannot be read.
    static func unreadable(_ path: String) -> FindingDocument {
        FindingDocument(.backupDamaged, path: path, message: "it tells what a backup has, and cannot be read")
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
