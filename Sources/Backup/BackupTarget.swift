import API
import Files

/// What a backup is written to: a folder, which keeps what it has, or an archive.
protocol BackupTarget: Sendable {
    /// How many files are copied side by side.
    var width: Int { get }

    /// Lists of files that are there already, durably.
    func known() async throws -> (blobs: [FileListReader], others: [FileListReader])

    /// The descriptions of backups that cannot be read, by their paths.
    func unreadable() async throws -> [String]

    /// The sizes of the copies that are there of a folder of the blob store, by the files' names; what a verification has found
    /// damaged is left out. Blocks.
    func copies(in folder: [String]) throws -> [String: Int]

    /// Whether the copy of another file is there, in its size, and no verification has found it damaged. Blocks.
    func hasCopy(ofOther line: FileLine) throws -> Bool

    /// Keeps a piece. Blocks.
    ///
    /// - Returns: Its name.
    func keep(_ piece: [UInt8]) throws -> String

    /// Copies a file of the blob store, unless a copy is there that is as the file ought to be. Blocks.
    ///
    /// - Parameter sha256: What the file ought to be, where that is known.
    func copyBlob(_ source: FileReader, to path: String, expecting sha256: String?) throws -> FileLine

    /// Copies another file, unless its bytes are there. Blocks.
    func copyOther(_ source: FileReader, sha256: String) throws

    /// Notes how far the list of the blob store's files is: all of these are durable.
    ///
    /// - Parameter pieces: The pieces of the list so far.
    func checkpoint(_ pieces: [String]) async throws

    /// Makes all of it durable; then the backup is there.
    func finish(_ state: BackupState) async throws

    /// Lets others write here.
    func release()
}
