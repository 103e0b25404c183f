import API
package import TreeModel

/// One backup of a store, as its folder or archive describes it in `backups/TOKEN.json`: one state of the tree, and the files that
/// were there then.
package struct BackupState: Document, Hashable {
    /// The version of the layout of folders and archives; see ``BackupFolder``.
    static let format = 1

    let format: Int
    /// The version of the program that made it.
    package let version: String
    /// The id of the store.
    package let store: String
    /// The position in the change log: all changes up to it are in, none after it.
    package let token: UInt64
    /// When the tree was like that.
    package let madeAt: Timestamp
    /// How many files of the blob store it has, and their bytes.
    package let files: Int
    package let bytes: Int
    /// The pieces with the rows of the tree, in their order.
    let tree: [String]
    /// The pieces with the lines of the files of the blob store, in their order.
    let blobs: [String]
    /// The pieces with the lines of what else is in the Storage folder.
    let others: [String]

    private enum CodingKeys: String, CodingKey {
        case format, version, store, token
        case madeAt = "made_at"
        case files, bytes, tree, blobs, others
    }

    /// Checks what was read from a file.
    ///
    /// - Throws: `Failure` `unsupported_format` for one of a later version.
    func checked() throws(Failure) -> BackupState {
        guard format <= Self.format else {
            throw Failure(
                .unsupportedFormat, "the backup has format \(format), and this program knows \(Self.format)",
                hint: "use version \(version), which made it, or a later one")
        }
        return self
    }
}

/// What the folder of backups is of: `tintype-backup.json`.
struct BackupMark: Document, Hashable {
    static let name = "tintype-backup.json"

    let format: Int
    let store: String
}
