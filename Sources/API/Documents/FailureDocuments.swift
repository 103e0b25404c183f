/// Something that could not become a post, as the service lists it.
package struct FailureDocument: Document {
    /// By which it is named in addresses.
    package let id: String
    /// Where it lies below `failed/`.
    package let path: String
    package let file: String
    /// By which way it came.
    package let intake: Intake
    /// The code of an error, or of a later version's.
    package let code: String
    package let message: String
    package let hint: String
    /// Milliseconds since the epoch.
    package let failedAt: Int64
    package var user: String?
    package var upload: String?
    /// Where it was below the user's folder in the inbox.
    package var source: String?
    package var attempts: Int?
    package var bytes: Int?

    private enum CodingKeys: String, CodingKey {
        case id, path, file, intake, code, message, hint
        case failedAt = "failed_at"
        case user, upload, source, attempts, bytes
    }

    package init(_ file: FailedFileDocument, id: String) {
        self.id = id
        (path, self.file, code) = (file.path, file.file, file.code)
        (message, hint, failedAt) = (file.message, file.hint, file.failedAt)
        (user, upload, source) = (file.user, file.upload, file.source)
        (attempts, bytes) = (file.attempts, file.bytes)
        intake = file.source == nil && file.upload != nil ? .socket : .inbox
    }
}

/// A page of what could not become a post, the newest first.
package struct FailureListDocument: Document {
    package let failures: [FailureDocument]
    /// How many there are in all.
    package let total: Int
    package let bytes: Int
    /// How many there are by reason.
    package let reasons: [String: Int]
    /// Where the next page begins; absent on the last.
    package let next: String?

    package init(failures: [FailureDocument], total: Int, bytes: Int, reasons: [String: Int], next: String?) {
        (self.failures, self.total, self.bytes) = (failures, total, bytes)
        (self.reasons, self.next) = (reasons, next)
    }
}

/// What became of what could not become a post.
package struct FailureOutcomeDocument: Document {
    /// How many were put back into the inbox.
    package var retried = 0
    /// How many were deleted.
    package var dropped = 0
    /// How many stayed, as something was in the way.
    package var failed = 0
    /// What was in the way of the first of these.
    package var error: Failure?

    package init() {}
}

/// A request that was refused, or something that an admin has done.
package struct RefusalDocument: Document {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case refused, done
    }

    package let kind: Kind
    /// Milliseconds since the epoch.
    package let time: Int64
    /// The method and the path.
    package let request: String?
    package let address: String?
    package let identity: String?
    /// What was shown as a proof, without anything secret.
    package let proof: String?
    package let status: Int?
    package let error: String?
    /// By which it is found in the log.
    package let trace: String?
    /// How many more were refused since the last one that is told.
    package let skipped: Int?

    package init(_ kind: Kind, at time: Int64, _ fields: [String: String]) {
        (self.kind, self.time) = (kind, time)
        (request, address, identity) = (fields["request"], fields["address"], fields["identity"])
        (proof, error, trace) = (fields["proof"], fields["error"], fields["trace"])
        status = fields["status"].flatMap { Int($0) }
        skipped = fields["skipped"].flatMap { Int($0) }
    }
}

/// The last refusals and acts of admins, the newest first.
package struct RefusalListDocument: Document {
    package let refusals: [RefusalDocument]

    package init(refusals: [RefusalDocument]) { self.refusals = refusals }
}
