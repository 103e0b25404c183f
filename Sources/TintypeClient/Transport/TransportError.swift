#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why there is no whole answer to a request. The service may have carried it out all the same.
public struct TransportError: Error, Hashable, Sendable {
    /// The cause, for programs.
    public enum Cause: String, Codable, Hashable, Sendable {
        /// The device has no network.
        case offline
        /// The service's host cannot be found or does not accept connections.
        case unreachable
        /// No byte has arrived in time.
        case timedOut
        /// The connection ended before the answer did.
        case interrupted
        /// The host's certificate is not trusted.
        case untrusted
        /// The answer is larger than this client accepts.
        case tooLarge
        /// The answer is not HTTP, or not in the form of the service.
        case malformed
        /// The file of the body cannot be read.
        case unreadableFile
    }

    /// The cause, for programs.
    public var cause: Cause
    /// The cause in the words of the system, for developers.
    public var detail: String

    /// Creates an error.
    public init(_ cause: Cause, _ detail: String = "") { (self.cause, self.detail) = (cause, detail) }

    /// Whether the same request may succeed later, without a change.
    public var isTransient: Bool {
        switch cause {
        case .offline, .unreachable, .timedOut, .interrupted, .malformed, .untrusted: true
        case .tooLarge, .unreadableFile: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// The cause and its detail in one line.
    public var description: String { detail.isEmpty ? cause.rawValue : "\(cause.rawValue): \(detail)" }
}

extension TransportError: LocalizedError {
    /// The cause, for people.
    public var errorDescription: String? {
        switch cause {
        case .offline: "the device has no network"
        case .unreachable: "the service cannot be reached"
        case .timedOut: "the service does not answer"
        case .interrupted: "the connection was cut"
        case .untrusted: "the certificate of the service is not trusted"
        case .tooLarge: "the answer is too large"
        case .malformed: "the answer is not one of the service"
        case .unreadableFile: "a file cannot be read"
        }
    }
}
