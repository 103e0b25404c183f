import API
package import TreeModel

/// The description of one backup, stored in `backups/TOKEN.json`: one state of the tree, and the files of that time.
package struct BackupState: Document, Hashable {
    /// The version of the layout of folders and archives; see ``BackupFolder``.
    static let format = 1

    let format: Int
    /// The version of the program that created the backup.
    package let version: String
    /// The id of the store.
    package let store: String
    /// The position in the change log: the backup contains all changes up to it, and none after it.
    package let token: UInt64
    /// The time of the tree's state.
    package let madeAt: Timestamp
    /// The number of files of the blob store.
    package let files: Int
    package let bytes: Int
    /// The pieces with the rows of the tree, in their order.
    let tree: [String]
    /// The pieces with the lines of the files of the blob store, in their order.
    let blobs: [String]
    /// The pieces with the lines of the other files of the Storage folder.
    let others: [String]

    private enum CodingKeys: String, CodingKey {
        case format, version, store, token
        case madeAt = "made_at"
        case files, bytes, tree, blobs, others
    }

    /// Checks the format of a description.
    ///
    /// - Throws: `Failure` `unsupported_format` for that of a later version.
    func checked() throws(Failure) -> BackupState {
        guard format <= Self.format else {
            throw Failure(
                .unsupportedFormat, "the backup has format \(format); this program supports \(Self.format)",
                hint: "Use version \(version), which created it, or a later one.")
        }
        return self
    }
}

/// The mark of a folder of backups, with the store that they are of: `tintype-backup.json`.
struct BackupMark: Document, Hashable {
    static let name = "tintype-backup.json"

    let format: Int
    let store: String
}
