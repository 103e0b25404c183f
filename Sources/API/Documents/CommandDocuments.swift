/// The outcome of a command for one of its arguments.
package struct OutcomeDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        case accepted
        case changed
        case deleted
        case disabled
        case dropped
        case duplicate
        case enabled
        case failed
        case published
        case refused
        case retried
    }

    package let outcome: Outcome
    package let path: String?
    package let postID: String?
    package let uid: String?
    /// The id of an announcement or a delivery.
    package let id: String?
    package let files: [String]?
    package let code: ErrorCode?
    package let message: String?
    package let hint: String?

    private enum CodingKeys: String, CodingKey {
        case outcome, path
        case postID = "post_id"
        case uid, id, files, code, message, hint
    }

    package init(
        _ outcome: Outcome, path: String? = nil, postID: String? = nil, uid: String? = nil,
        id: String? = nil, files: [String]? = nil, failure: Failure? = nil
    ) {
        self.outcome = outcome
        self.path = path
        self.postID = postID
        self.uid = uid
        self.id = id
        self.files = files
        code = failure?.code
        message = failure?.message
        hint = failure?.hint
    }
}

/// The fields of two documents in one object.
package struct JoinedDocument<First: Document, Second: Document>: Document {
    let first: First
    let second: Second

    package init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    package init(from decoder: any Decoder) throws {
        self.init(try First(from: decoder), try Second(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}

/// The path that a command was given.
package struct PathDocument: Document {
    package let path: String

    package init(path: String) { self.path = path }
}

/// A file that could not become a post, and why.
package struct FailedFileDocument: Document {
    package let path: String
    package let file: String
    /// The name by which the sender knows it: the path in the inbox, or the names of an upload's photos.
    package let name: String
    /// The code of an error, or of a later version's.
    package let code: String
    package let message: String
    package let hint: String
    /// The time of the failure, in milliseconds since the epoch.
    package let failedAt: Int64
    package var user: String?
    package var upload: String?
    package var source: String?
    package var attempts: Int?
    package var bytes: Int?

    private enum CodingKeys: String, CodingKey {
        case path, file, name, code, message, hint
        case failedAt = "failed_at"
        case user, upload, source, attempts, bytes
    }

    package init(
        path: String, file: String, name: String, code: String, message: String, hint: String, failedAt: Int64
    ) {
        self.path = path
        self.file = file
        self.name = name
        self.code = code
        self.message = message
        self.hint = hint
        self.failedAt = failedAt
    }
}

/// A setting, and the source of its value.
package struct SettingDocument: Document {
    package let name: String
    package let value: String
    package let origin: String

    package init(name: String, value: String, origin: String) {
        self.name = name
        self.value = value
        self.origin = origin
    }
}

/// An export or import of a tree, or of a part of it.
package struct TransferDocument: Document {
    package let path: String
    package let file: String
    package let bytes: Int
    /// The writes that an import needed.
    package let parts: Int?
    /// The position of an export in the change log.
    package let token: String?
    /// The number of files that an import has brought into the bucket, or found there.
    package let objects: Int?

    package init(
        path: String, file: String, bytes: Int, parts: Int? = nil, token: String? = nil, objects: Int? = nil
    ) {
        self.path = path
        self.file = file
        self.bytes = bytes
        self.parts = parts
        self.token = token
        self.objects = objects
    }
}

/// The thumbnails of a file.
package struct RenderDocument: Document {
    package struct Thumbnail: Document {
        package let path: String
        package let width: Int
        package let height: Int
        package let bytes: Int

        package init(path: String, width: Int, height: Int, bytes: Int) {
            self.path = path
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    package let path: String
    package var outcome = "ok"
    /// The width of the upright picture, in pixels.
    package let width: Int
    package let height: Int
    package let color: String
    package let renditions: [String: Thumbnail]
    package let warnings: [String]?

    package init(
        path: String, width: Int, height: Int, color: String, renditions: [String: Thumbnail], warnings: [String]?
    ) {
        self.path = path
        self.width = width
        self.height = height
        self.color = color
        self.renditions = renditions
        self.warnings = warnings
    }
}

/// The kinds of location data in a photo's file, and the outcome of removing them.
package struct ScrubDocument: Document {
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        /// The file has no location data.
        case clean
        /// The file has location data, which was not removed.
        case found
        case scrubbed
    }

    package let path: String
    package let outcome: Outcome
    /// The codes of the kinds of location data that were removed, or found; later versions may add some.
    package let removed: [String]
    /// The path of the file without location data.
    package let file: String?

    package init(path: String, outcome: Outcome, removed: [String], file: String? = nil) {
        self.path = path
        self.outcome = outcome
        self.removed = removed
        self.file = file
    }
}
