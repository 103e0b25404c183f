/// The life of an upload, and of what it has become.
package struct ExplanationDocument: Document {
    /// A file of it.
    package struct File: Document, Hashable {
        /// What a file is for.
        package enum Use: String, Codable, CaseIterable, Sendable {
            /// What was sent.
            case original
            /// A rendition that is shown.
            case shown
            /// A rendition that a run has made, and that is not shown yet.
            case prepared
            /// It was shown, or was to be, and goes when its time has come.
            case garbage
            /// Nothing names it.
            case orphaned
            /// An original that a rule has dropped: it is not there any more.
            case dropped
        }

        /// Relative to the Storage folder.
        package let path: String
        package let use: Use
        /// The number of its photo, from 0 in the post's order.
        package var photo: Int?
        /// The size that it has; absent where it is missing.
        package var bytes: Int?
        /// The size that it has to have, where that is known.
        package var expectedBytes: Int?
        /// The sender's name for it.
        package var originalName: String?
        package var sha256: String?
        /// The recipe by which it was made, and its fingerprint.
        package var recipe: String?
        package var fingerprint: String?
        /// The version of the program that made it.
        package var engine: String?
        /// The SHA-256 of the original of which it was made; of an original that was encoded again, that of the one before.
        package var source: String?
        /// When it was made, in milliseconds since the epoch.
        package var madeAt: Int64?
        /// When a rule dropped it, in milliseconds since the epoch.
        package var droppedAt: Int64?
        /// When garbage goes, in milliseconds since the epoch.
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

    /// A commit that has changed its record or its post.
    package struct Commit: Document, Hashable {
        package let token: String
        /// Milliseconds since the epoch.
        package let timestamp: Int64
        /// The places that were written.
        package let paths: [String]

        package init(token: String, timestamp: Int64, paths: [String]) {
            (self.token, self.timestamp, self.paths) = (token, timestamp, paths)
        }
    }

    /// The id of the upload, and of its post.
    package let id: String
    package var purpose = UploadPurpose.post
    package var owner: String?
    /// The way in.
    package var intake: String?
    package var state: String?
    /// Milliseconds since the epoch.
    package var createdAt: Int64?
    package var updatedAt: Int64?
    /// How many tries to render and commit ended in a transient error.
    package var attempts = 0
    /// The sender's path of a file of the inbox.
    package var source: String?
    package var clientReference: String?
    package var error: Failure?
    package var duplicateOf: String?
    /// What was decided about it last: `pass`, `blur` or `refuse`.
    package var moderation: String?
    /// When its post was deleted, in milliseconds since the epoch, while its files are there.
    package var deletedAt: Int64?
    /// When its files were read and compared last, in milliseconds since the epoch.
    package var verifiedAt: Int64?
    package var files: [File] = []
    /// The places of the tree that name it, or a file of it.
    package var named: [String] = []
    /// The jobs that have made renditions of it, or have replaced some.
    package var jobs: [String] = []
    /// What the change log has of it, the oldest first.
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
