extension Problem {
    /// The reason of a problem, for programs. Codes never change, but later versions of the service add some.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The code as the service writes it.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates a code from a literal.
        public init(stringLiteral value: String) { self.init(rawValue: value) }

        /// The answer is not one of the service, but for example of a proxy.
        public static let unknown: Code = "unknown"
        /// The request requires a user who is signed in, or the rules refuse it.
        public static let permissionDenied: Code = "permission_denied"
        /// The token is invalid or has expired.
        public static let badToken: Code = "bad_token"
        /// It belongs to another user.
        public static let notAllowed: Code = "not_allowed"
        /// One of two people has blocked the other.
        public static let blocked: Code = "blocked"
        /// The user is not a member of the audience.
        public static let notMember: Code = "not_member"
        /// The person has not consented.
        public static let notConsented: Code = "not_consented"
        /// The post, comment, person, upload or file does not exist.
        public static let notFound: Code = "not_found"
        /// The user does not exist.
        public static let unknownUser: Code = "unknown_user"
        /// The post of this upload was deleted, or its person was.
        public static let deleted: Code = "deleted"
        /// The upload is in another state.
        public static let wrongState: Code = "wrong_state"
        /// The bytes do not begin at the upload's offset.
        public static let wrongOffset: Code = "wrong_offset"
        /// Another request continues the same upload.
        public static let takenOver: Code = "taken_over"
        /// The upload has expired or ended: it must begin again.
        public static let uploadExpired: Code = "upload_expired"
        /// The disk of the service has lost bytes of the upload: it must begin again.
        public static let bytesLost: Code = "bytes_lost"
        /// The idempotency key belongs to another request.
        public static let keyReused: Code = "key_reused"
        /// The user has posted the same photos before.
        public static let duplicate: Code = "duplicate"
        /// A moderator refused the post.
        public static let moderationRefused: Code = "moderation_refused"
        /// The changes since the position are not known: everything must be read again.
        public static let resnapshot: Code = "resnapshot"
        /// The changes since the position are not known any more: the list must be read again.
        public static let tokenTooOld: Code = "token_too_old"
        /// The service has not reached the position, for example because a backup was restored: the list must be read
        /// again.
        public static let tokenUnknown: Code = "token_unknown"
        /// The limit of requests is exceeded.
        public static let tooManyRequests: Code = "too_many_requests"
        /// The person has too many unfinished uploads.
        public static let tooManyUploads: Code = "too_many_uploads"
        /// More than the user may store.
        public static let quotaExceeded: Code = "quota_exceeded"
        /// The disk of the service is full.
        public static let diskFull: Code = "disk_full"
        /// The service is not available now.
        public static let unavailable: Code = "unavailable"
    }
}
