#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The service's answer to a request that it has refused, or could not carry out: problem details (RFC 9457).
public struct Problem: Error, Hashable, Sendable {
    /// The reason, for programs.
    public var code: Code
    /// The status of the answer, such as 404.
    public var status: Int
    /// The reason, for people.
    public var message: String
    /// The advice on how to solve the problem, for people; empty for none.
    public var hint: String
    /// The id by which the request is found in the service's log; nil if the answer has none.
    public var trace: String?
    /// The time to wait before the request is sent again; nil if the service does not name one.
    public var retryAfter: Duration?
    /// The bytes that the user has stored, may store, and needs in addition; nil unless a quota is exceeded.
    public var quota: Quota?
    /// The number of bytes of the upload that the service has; nil unless bytes were sent at another offset.
    public var expectedOffset: Int64?

    /// Creates a problem.
    public init(
        _ code: Code, status: Int, message: String, hint: String = "", trace: String? = nil,
        retryAfter: Duration? = nil
    ) {
        (self.code, self.status, self.message, self.hint) = (code, status, message, hint)
        (self.trace, self.retryAfter) = (trace, retryAfter)
    }

    /// Whether the same request may succeed later, without a change.
    public var isTransient: Bool {
        switch status {
        case 408, 425, 429, 460, 500, 502, 503, 504: true
        case 507: code != .quotaExceeded
        default: false
        }
    }

    /// The sizes behind a problem that a quota caused, in bytes.
    public struct Quota: Hashable, Sendable {
        /// The bytes that the user has stored.
        public var used: Int64
        /// The bytes that the user may store.
        public var limit: Int64
        /// The bytes that the request needs in addition.
        public var needed: Int64

        /// Creates sizes.
        public init(used: Int64, limit: Int64, needed: Int64) {
            (self.used, self.limit, self.needed) = (used, limit, needed)
        }
    }
}

extension Problem: LocalizedError {
    /// The reason, for people.
    public var errorDescription: String? { message }
    /// The advice on how to solve the problem, for people; nil for none.
    public var recoverySuggestion: String? { hint.isEmpty ? nil : hint }
}

extension Problem: CustomStringConvertible {
    /// The status, the code and the message in one line.
    public var description: String { "\(status) \(code.rawValue): \(message)" }
}
