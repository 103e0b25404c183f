import API
import Files

/// What a backup is written to: a folder, which keeps what it has, or an archive.
protocol BackupTarget: Sendable {
    /// How many files are copied side by side.
    var width: Int { get }

    /// Lists of files that are there already, durably.
    func known() async throws -> (blobs: [FileListReader], others: [FileListReader])

    /// Keeps a piece. Blocks.
    ///
    /// - Returns: Its name.
    func keep(_ piece: [UInt8]) throws -> String

    /// Copies a file of the blob store. Blocks.
    func copyBlob(_ source: FileReader, to path: String) throws -> FileLine

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
