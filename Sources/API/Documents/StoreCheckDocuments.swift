/// Something that an audit has found.
package struct FindingDocument: Document, Hashable {
    /// What has become of it.
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        /// It was looked at alone.
        case found
        case repaired
        case deleted
        /// It was to be mended, and could not be.
        case failed
    }

    package let kind: FindingKind
    /// The file, relative to the Storage folder, or the place in the tree.
    package let path: String
    /// The post, or other upload, that it is of.
    package let post: String?
    package let message: String
    package let remedy: FindingRemedy
    package let hint: String
    /// The size of a file that is to be deleted.
    package let bytes: Int?
    package var outcome = Outcome.found
    /// Why it could not be mended.
    package var failure: String?

    package init(_ kind: FindingKind, path: String, post: String? = nil, message: String, bytes: Int? = nil) {
        (self.kind, self.path, self.post, self.message, self.bytes) = (kind, path, post, message, bytes)
        (remedy, hint) = (kind.remedy, kind.hint)
    }
}

/// How far an audit is.
package struct StoreCheckStepDocument: Document, Hashable {
    package let action: StoreCheckAction
    /// The number of posts that were looked at; at the end, of all that there are.
    package var done = 0
    /// The number of posts that there are.
    package var total = 0
    /// The files that were looked at, and their bytes.
    package var files = 0
    package var bytes = 0
    /// The bytes that were read.
    package var read = 0
    /// How many findings there were of each kind that were not mended.
    package var findings: [String: Int] = [:]
    /// How many were mended, or deleted.
    package var mended = 0
    /// The bytes of files that nothing names.
    package var garbage = 0
    /// The reason for which the store could not note the result, which `tintype status` then does not tell; absent when it did.
    package var unkept: String?
    package var finished = false

    package init(_ action: StoreCheckAction) { self.action = action }
}

/// The last audit of a kind, for whoever looks after the service.
package struct StoreCheckResultDocument: Document, Hashable {
    /// Milliseconds since the epoch.
    package let endedAt: Int64
    /// The number of posts that there were.
    package let posts: Int
    /// How many findings of each kind were not mended.
    package let findings: [String: Int]

    private enum CodingKeys: String, CodingKey {
        case endedAt = "ended_at"
        case posts, findings
    }

    package init(endedAt: Int64, posts: Int, findings: [String: Int]) {
        (self.endedAt, self.posts, self.findings) = (endedAt, posts, findings)
    }
}
