/// The progress of a backup, a restore, or the verification of a backup.
package struct BackupStepDocument: Document, Hashable {
    /// The current step.
    package enum Phase: String, Codable, CaseIterable, Sendable {
        /// Reading or writing the rows of the tree.
        case tree
        /// Processing the files of the blob store.
        case blobs
        /// Processing the other files of the Storage folder.
        case others
    }

    package var phase = Phase.tree
    /// The number of post folders, or files, that have been processed, and the number of all.
    package var done = 0
    package var total = 0
    /// The number of files so far, and their total size in bytes.
    package var files = 0
    package var bytes = 0
    /// The number of files that had to be copied, and their total size in bytes.
    package var copied = 0
    package var copiedBytes = 0
    /// The number of findings.
    package var findings = 0
    /// The backup's position in the change log; nil until the tree is done.
    package var token: Int64?
    package var finished = false

    private enum CodingKeys: String, CodingKey {
        case phase, done, total, files, bytes, copied
        case copiedBytes = "copied_bytes"
        case findings, token, finished
    }

    package init() {}
}

/// The result of pruning old backups: the numbers of deleted backups and files, and the size of these files in bytes.
package struct BackupPruneDocument: Document, Hashable {
    package var backups = 0
    package var files = 0
    package var bytes = 0

    package init() {}
}

/// A backup in a folder or an archive.
package struct BackupDocument: Document, Hashable {
    /// The backup's position in the change log.
    package let token: Int64
    /// The time of the backup, in milliseconds since the epoch.
    package let madeAt: Int64
    /// The version of the program that created the backup.
    package let version: String
    /// The number of files of the blob store in the backup, and their total size in bytes.
    package let files: Int
    package let bytes: Int

    private enum CodingKeys: String, CodingKey {
        case token
        case madeAt = "made_at"
        case version, files, bytes
    }

    package init(token: Int64, madeAt: Int64, version: String, files: Int, bytes: Int) {
        (self.token, self.madeAt, self.version, self.files, self.bytes) = (token, madeAt, version, files, bytes)
    }
}
