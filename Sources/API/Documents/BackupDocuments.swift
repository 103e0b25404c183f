/// How far a backup is, or a restore, or the verification of one.
package struct BackupStepDocument: Document, Hashable {
    /// What is being done.
    package enum Phase: String, Codable, CaseIterable, Sendable {
        /// The rows of the tree are read, or written.
        case tree
        /// The files of the blob store are gone through.
        case blobs
        /// The other files of the Storage folder are.
        case others
    }

    package var phase = Phase.tree
    /// How many posts' folders, or files, were gone through, of how many.
    package var done = 0
    package var total = 0
    /// The files so far, and their bytes.
    package var files = 0
    package var bytes = 0
    /// The files that had to be copied, and their bytes.
    package var copied = 0
    package var copiedBytes = 0
    /// How many findings there were.
    package var findings = 0
    /// The position in the change log that the backup is of; known behind the tree.
    package var token: Int64?
    package var finished = false

    private enum CodingKeys: String, CodingKey {
        case phase, done, total, files, bytes, copied
        case copiedBytes = "copied_bytes"
        case findings, token, finished
    }

    package init() {}
}

/// What went when old backups were forgotten.
package struct BackupPruneDocument: Document, Hashable {
    package var backups = 0
    package var files = 0
    package var bytes = 0

    package init() {}
}

/// One backup that a folder or an archive has.
package struct BackupDocument: Document, Hashable {
    /// The position in the change log that it is of.
    package let token: Int64
    /// Milliseconds since the epoch.
    package let madeAt: Int64
    /// The version of the program that made it.
    package let version: String
    /// How many files of the blob store it has, and their bytes.
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
