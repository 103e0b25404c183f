/// The history of an upload and of its post.
package struct ExplanationDocument: Document {
    /// A file of the upload.
    package struct File: Document, Hashable {
        /// The use of a file.
        package enum Use: String, Codable, CaseIterable, Sendable {
            /// The file as it was sent.
            case original
            /// A rendition that is shown.
            case shown
            /// A rendition that a rethumb run has created and that is not shown yet.
            case prepared
            /// A rendition that was shown or prepared, and that is deleted when its grace period ends.
            case garbage
            /// A file that no record names.
            case orphaned
            /// An original that a rule has dropped; the file no longer exists.
            case dropped
        }

        /// The path relative to the Storage folder.
        package let path: String
        package let use: Use
        /// The number of its photo, from 0 in the post's order.
        package var photo: Int?
        /// The size of the file, in bytes; absent if the file is missing.
        package var bytes: Int?
        /// The size that the file should have, in bytes; absent if it is not known.
        package var expectedBytes: Int?
        /// The sender's name for the file.
        package var originalName: String?
        package var sha256: String?
        /// The recipe of the rendition, with its fingerprint.
        package var recipe: String?
        package var fingerprint: String?
        /// The version of the program that created the file.
        package var engine: String?
        /// The SHA-256 of the original that the file was created from; for an original that was encoded again, that of
        /// the previous one.
        package var source: String?
        /// The time of creation, in milliseconds since the epoch.
        package var madeAt: Int64?
        /// The time at which a rule dropped the file, in milliseconds since the epoch.
        package var droppedAt: Int64?
        /// The time at which garbage is deleted, in milliseconds since the epoch.
        package var until: Int64?

        private enum CodingKeys: String, CodingKey {
            case path, use, photo, bytes
            case expectedBytes = "expected_bytes"
            case originalName = "original_name"
            case sha256, recipe, fingerprint, engine, source
            case madeAt = "made_at"
            case droppedAt = "dropped_at"
            case until
        }

        package init(path: String, use: Use) { (self.path, self.use) = (path, use) }
    }

    /// A commit that has changed the upload's record or its post.
    package struct Commit: Document, Hashable {
        package let token: String
        /// The time of the commit, in milliseconds since the epoch.
        package let timestamp: Int64
        /// The paths that were written.
        package let paths: [String]

        package init(token: String, timestamp: Int64, paths: [String]) {
            (self.token, self.timestamp, self.paths) = (token, timestamp, paths)
        }
    }

    /// The id of the upload, and of its post.
    package let id: String
    package var purpose = UploadPurpose.post
    package var owner: String?
    /// The way in; see ``Intake``.
    package var intake: String?
    package var state: String?
    /// The time of the reservation, in milliseconds since the epoch.
    package var createdAt: Int64?
    package var updatedAt: Int64?
    /// The number of attempts to render and commit that ended in a transient error.
    package var attempts = 0
    /// The sender's path of a file from the inbox.
    package var source: String?
    package var clientReference: String?
    package var error: Failure?
    package var duplicateOf: String?
    /// The last decision of moderation: `pass`, `blur` or `refuse`.
    package var moderation: String?
    /// The time of the post's deletion, in milliseconds since the epoch; absent once the files are deleted, too.
    package var deletedAt: Int64?
    /// The time at which the files were last read and compared, in milliseconds since the epoch.
    package var verifiedAt: Int64?
    package var files: [File] = []
    /// The paths of the tree that name the upload or one of its files.
    package var named: [String] = []
    /// The post runs that have created or replaced renditions of the upload.
    package var jobs: [String] = []
    /// The commits that the change log still contains, the oldest first.
    package var commits: [Commit] = []

    private enum CodingKeys: String, CodingKey {
        case id, purpose, owner, intake, state
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case attempts, source
        case clientReference = "client_ref"
        case error
        case duplicateOf = "duplicate_of"
        case moderation
        case deletedAt = "deleted_at"
        case verifiedAt = "verified_at"
        case files, named, jobs, commits
    }

    package init(id: String) { self.id = id }
}
