/// A file that could not become a post, as the service lists it.
package struct FailureDocument: Document {
    /// The id that names the failure in addresses.
    package let id: String
    /// The path below `failed/`.
    package let path: String
    package let file: String
    /// The name by which the sender knows it: the path in the inbox, or the names of an upload's photos.
    package let name: String
    /// The way in by which the file arrived.
    package let intake: Intake
    /// The code of the error; it may be one that only a later version of the service knows.
    package let code: String
    package let message: String
    package let hint: String
    /// The time of the failure, in milliseconds since the epoch.
    package let failedAt: Int64
    package var user: String?
    /// The user's name; absent for somebody whom the service does not know.
    package var fullName: String?
    package var upload: String?
    /// The file's former path below the user's folder in the inbox.
    package var source: String?
    package var attempts: Int?
    package var bytes: Int?

    private enum CodingKeys: String, CodingKey {
        case id, path, file, name, intake, code, message, hint
        case failedAt = "failed_at"
        case fullName = "full_name"
        case user, upload, source, attempts, bytes
    }

    /// - Parameter fullName: The user's name; nil for somebody unknown.
    package init(_ file: FailedFileDocument, id: String, fullName: String?) {
        (self.id, self.fullName) = (id, fullName)
        (path, self.file, name, code) = (file.path, file.file, file.name, file.code)
        (message, hint, failedAt) = (file.message, file.hint, file.failedAt)
        (user, upload, source) = (file.user, file.upload, file.source)
        (attempts, bytes) = (file.attempts, file.bytes)
        intake = file.source == nil && file.upload != nil ? .socket : .inbox
    }
}

/// A page of files that could not become posts, the newest first.
package struct FailureListDocument: Document {
    package let failures: [FailureDocument]
    /// The total number of failures.
    package let total: Int
    package let bytes: Int
    /// The number of failures by reason.
    package let reasons: [String: Int]
    /// The cursor of the next page; absent on the last page.
    package let next: String?

    package init(failures: [FailureDocument], total: Int, bytes: Int, reasons: [String: Int], next: String?) {
        (self.failures, self.total, self.bytes) = (failures, total, bytes)
        (self.reasons, self.next) = (reasons, next)
    }
}

/// The outcome of retrying or deleting failed files.
package struct FailureOutcomeDocument: Document {
    /// The number of files that were put back into the inbox.
    package var retried = 0
    /// The number of files that were deleted.
    package var dropped = 0
    /// The number of files that stayed, because of an error.
    package var failed = 0
    /// The error of the first of these.
    package var error: Failure?

    package init() {}
}

/// A request that was refused, or an action of an admin.
package struct RefusalDocument: Document {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case refused, done
    }

    package let kind: Kind
    /// The time of the request, in milliseconds since the epoch.
    package let time: Int64
    /// The method and the path, without the query; nil for a connection that was refused.
    package let request: String?
    package let address: String?
    package let identity: String?
    /// The credential that was sent, without its secret parts.
    package let proof: String?
    package let status: Int?
    package let error: String?
    /// The id by which the request is found in the log; nil for an action, or a connection that was refused.
    package let trace: String?
    /// The number of refusals since the previous one in the list that were not logged, because there were too many; nil
    /// for none.
    package let skipped: Int?

    package init(_ kind: Kind, at time: Int64, _ fields: [String: String]) {
        (self.kind, self.time) = (kind, time)
        (request, address, identity) = (fields["request"], fields["address"], fields["identity"])
        (proof, error, trace) = (fields["proof"], fields["error"], fields["trace"])
        status = fields["status"].flatMap { Int($0) }
        skipped = fields["skipped"].flatMap { Int($0) }
    }
}

/// The most recent refused requests and actions of admins, the newest first.
package struct RefusalListDocument: Document {
    package let refusals: [RefusalDocument]

    package init(refusals: [RefusalDocument]) { self.refusals = refusals }
}
