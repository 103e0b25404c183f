import API
import Files

/// The target of a backup: a folder, which keeps the files of earlier backups, or an archive.
protocol BackupTarget: Sendable {
    /// The number of files that are copied concurrently.
    var width: Int { get }

    /// Returns lists of files that the target already contains, durably.
    func known() async throws -> (blobs: [FileListReader], others: [FileListReader])

    /// Returns the paths of the descriptions that cannot be read.
    func unreadable() async throws -> [String]

    /// Returns the sizes of the copies in a folder of the blob store, by name, without those that a verification has
    /// found damaged. Blocks.
    func copies(in folder: [String]) throws -> [String: Int]

    /// Whether the copy of another file exists with the right size, and no verification has found it damaged. Blocks.
    func hasCopy(ofOther line: FileLine) throws -> Bool

    /// Stores a piece. Blocks.
    ///
    /// - Returns: Its name.
    func keep(_ piece: [UInt8]) throws -> String

    /// Copies a file of the blob store, unless an undamaged copy exists. Blocks.
    ///
    /// - Parameter sha256: The expected digest of the file; nil if unknown.
    func copyBlob(_ source: FileReader, to path: String, expecting sha256: String?) throws -> FileLine

    /// Copies another file, unless its bytes are stored already. Blocks.
    func copyOther(_ source: FileReader, sha256: String) throws

    /// Records the progress of the list of the blob store's files, after making all of them durable.
    ///
    /// - Parameter pieces: The pieces of the list so far.
    func checkpoint(_ pieces: [String]) async throws

    /// Makes everything durable, which completes the backup.
    func finish(_ state: BackupState) async throws

    /// Releases the lock of the target.
    func release()
}
