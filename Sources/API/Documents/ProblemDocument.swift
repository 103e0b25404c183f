/// The body of an error response: problem details (RFC 9457).
package struct ProblemDocument: Document {
    /// A type of problem that other documents define, with its extension members.
    package enum Kind: Sendable {
        /// Bytes that do not begin at the upload's offset ("Resumable Uploads for HTTP", "Mismatching Offset").
        case mismatchingUploadOffset(expected: Int, provided: Int)
        /// An upload that has all its bytes (in the same, "Completed Upload").
        case completedUpload
        /// Lengths of an upload that contradict each other (in the same, "Inconsistent Length").
        case inconsistentUploadLength

        fileprivate var type: String {
            let name =
                switch self {
                case .mismatchingUploadOffset: "mismatching-upload-offset"
                case .completedUpload: "completed-upload"
                case .inconsistentUploadLength: "inconsistent-upload-length"
                }
            return "https://iana.org/assignments/http-problem-types#\(name)"
        }
    }

    package let type: String
    package let title: String
    /// The status of the response.
    package let status: Int
    package let code: ErrorCode
    package let detail: String
    package let hint: String
    /// The id by which the request is found in the service's log.
    package let trace: String
    /// The current offset of the upload, in bytes, if the sent bytes begin elsewhere.
    package private(set) var expectedOffset: Int?
    /// The offset at which the sent bytes begin.
    package private(set) var providedOffset: Int?

    /// The bytes that are stored; with the limit and the further bytes that this upload needs, only for
    /// `quota_exceeded`.
    package private(set) var used: Int?
    package private(set) var quota: Int?
    package private(set) var needed: Int?
    /// The users whom the quota applies to.
    package private(set) var quotaScope: QuotaScope?

    private enum CodingKeys: String, CodingKey {
        case type, title, status, code, detail, hint, trace, used, quota, needed
        case quotaScope = "quota_for"
        case expectedOffset = "expected-offset"
        case providedOffset = "provided-offset"
    }

    package init(status: Int, title: String, failure: Failure, trace: String, kind: Kind? = nil) {
        type = kind?.type ?? "about:blank"
        if case .mismatchingUploadOffset(let expected, let provided) = kind {
            (expectedOffset, providedOffset) = (expected, provided)
        }
        self.title = title
        self.status = status
        code = failure.code
        detail = failure.message
        hint = failure.hint
        self.trace = trace
        (used, quota, needed) = (failure.room?.used, failure.room?.quota.bytes, failure.room?.needed)
        quotaScope = failure.room?.quota.scope
    }
}
