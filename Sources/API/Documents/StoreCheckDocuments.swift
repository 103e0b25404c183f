/// A finding of a store check.
package struct FindingDocument: Document, Hashable {
    /// The outcome of a finding.
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        /// It was only reported.
        case found
        case repaired
        case deleted
        /// It could not be repaired.
        case failed
    }

    package let kind: FindingKind
    /// The path of the file relative to the Storage folder, or the path in the tree.
    package let path: String
    /// The id of the post, or of another upload, that it belongs to.
    package let post: String?
    package let message: String
    package let remedy: FindingRemedy
    package let hint: String
    /// The size of a file that should be deleted, in bytes.
    package let bytes: Int?
    package var outcome = Outcome.found
    /// The reason why the finding could not be repaired; nil unless a repair failed.
    package var failure: String?

    package init(_ kind: FindingKind, path: String, post: String? = nil, message: String, bytes: Int? = nil) {
        (self.kind, self.path, self.post, self.message, self.bytes) = (kind, path, post, message, bytes)
        (remedy, hint) = (kind.remedy, kind.hint)
    }
}

/// The progress of a store check.
package struct StoreCheckStepDocument: Document, Hashable {
    package let action: StoreCheckAction
    /// The number of posts that were checked so far; at the end, of all posts.
    package var done = 0
    /// The number of posts in the store.
    package var total = 0
    /// The number of files that were checked, and their bytes.
    package var files = 0
    package var bytes = 0
    /// The number of bytes that were read.
    package var read = 0
    /// The number of findings of each kind that were not repaired.
    package var findings: [String: Int] = [:]
    /// The number of findings that were repaired, or whose files were deleted.
    package var mended = 0
    /// The total size of the files that no record names, in bytes.
    package var garbage = 0
    /// The reason why the result could not be stored, so that `tintype status` does not show it; absent if it was
    /// stored.
    package var unkept: String?
    package var finished = false

    package init(_ action: StoreCheckAction) { self.action = action }
}

/// The result of the last store check of a kind, for operators.
package struct StoreCheckResultDocument: Document, Hashable {
    /// The time at which the check ended, in milliseconds since the epoch.
    package let endedAt: Int64
    /// The number of posts in the store.
    package let posts: Int
    /// The number of findings of each kind that were not repaired.
    package let findings: [String: Int]

    private enum CodingKeys: String, CodingKey {
        case endedAt = "ended_at"
        case posts, findings
    }

    package init(endedAt: Int64, posts: Int, findings: [String: Int]) {
        (self.endedAt, self.posts, self.findings) = (endedAt, posts, findings)
    }
}
