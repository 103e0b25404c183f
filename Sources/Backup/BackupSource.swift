import API
import Cryptography
package import Files

/// A source of backups: a folder or an archive.
package protocol BackupSource: Sendable {
    /// The path, for messages.
    var path: String { get }

    /// Returns the backups, the oldest first, without those whose description cannot be read.
    func states() async throws -> [BackupState]

    /// Returns the paths of the descriptions that cannot be read.
    func unreadable() async throws -> [String]

    /// Replaces the marks of damaged files by the paths that a verification has found.
    ///
    /// - Parameter mark: The mark of a verification without a finding; nil for one with findings.
    func mark(damaged paths: [String], verified mark: VerificationMark?) async throws

    /// Returns the bytes of the piece with a name, which is their SHA-256.
    ///
    /// - Throws: `Failure` `backup_damaged` if their SHA-256 differs.
    func piece(_ name: String) async throws -> [UInt8]

    /// Opens a file of the blob store; files must be opened in the order of the list.
    func blob(_ line: FileLine) async throws -> FileRange

    /// Opens another file.
    func other(_ line: FileLine) async throws -> FileRange
}

extension BackupSource {
    /// Returns the lines of a list.
    ///
    /// - Parameter skipsDamaged: Whether damaged pieces are skipped.
    func list(_ pieces: [String], skipsDamaged: Bool = false) -> FileListReader {
        FileListReader(pieces, skipsDamaged: skipsDamaged) { try await piece($0) }
    }

    /// Decompresses and checks a piece.
    func plain(_ compressed: [UInt8], of name: String) throws(Failure) -> [UInt8] {
        guard let bytes = Gzip.decompress(compressed, maxBytes: BackupLayout.maxPieceBytes), sha256(of: bytes) == name
        else {
            throw Failure(
                .backupDamaged,
                "\(path): the bytes of \(BackupLayout.piece(name).joined(separator: "/")) differ from those written",
                hint: "Restore an earlier backup (--at), or use another copy of this one.")
        }
        return bytes
    }

    /// Returns the newest backup.
    ///
    /// - Throws: `Failure` `not_a_backup` if there is none.
    package func newest() async throws -> BackupState {
        guard let state = try await states().last else {
            if let path = try await unreadable().last { throw Self.unreadable(path) }
            throw Failure(
                .notBackup, "\(path) has no complete backup", hint: "Run tintype backup \(path) to create one.")
        }
        return state
    }

    /// Returns the failure for a description that cannot be read.
    static func unreadable(_ path: String) -> Failure {
        Failure(
            .backupDamaged, "\(path), the description of a backup, cannot be read",
            hint: "Put another copy of it in its place, or delete it.")
    }
}

extension FindingDocument {
    /// Returns a finding about a damaged part of a folder of backups.
    static func damaged(_ path: [String], _ message: String) -> FindingDocument {
        FindingDocument(.backupDamaged, path: path.joined(separator: "/"), message: message)
    }

    /// Returns a finding about a backup whose description cannot be read.
    static func unreadable(_ path: String) -> FindingDocument {
        FindingDocument(.backupDamaged, path: path, message: "the description of a backup cannot be read")
    }
}

/// The paths of a backup's parts, which are the same in a folder and an archive.
enum BackupLayout {
    /// The size limit of a piece, in bytes; a row of the tree has up to some ten megabytes.
    static let maxPieceBytes = 256 << 20
    static let blobs = "blobs"
    static let backups = "backups"

    static func piece(_ name: String) -> [String] { ["pieces", String(name.prefix(2)), "\(name).gz"] }
    static func blob(_ line: FileLine) -> [String] { [blobs] + line.names }
    static func other(_ sha256: String) -> [String] { ["others", String(sha256.prefix(2)), sha256] }
    static func state(_ token: UInt64) -> [String] { [backups, "\(token).json"] }
}
