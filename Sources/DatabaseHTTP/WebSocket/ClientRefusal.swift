import API
import Access
import Tree

/// The reason for refusing a client's request: a code that its SDK knows, and a sentence.
struct ClientRefusal: Error, Hashable {
    enum Status: String, Sendable {
        case failure, permissionDenied = "permission_denied"
        case invalidToken = "invalid_token"
        case expiredToken = "expired_token"
        case staleData = "datastale"
        case tooLarge = "too_big"
        case writeTooLarge = "write_too_big"
        case unavailable
    }

    let status: Status
    let text: String

    init(_ status: Status, _ text: String) {
        self.status = status
        self.text = text
    }

    /// - Parameter isWrite: Whether the failed request is a write.
    init(_ error: any Error, isWrite: Bool = false) {
        switch error {
        case let error as ClientRefusal: self = error
        case let error as TreeError: self.init(error, isWrite: isWrite)
        case let error as AccessError: self.init(error)
        case let error as Failure: self.init(error, isWrite: isWrite)
        default: self.init(.unavailable, "\(error)")
        }
    }

    private init(_ error: TreeError, isWrite: Bool) {
        switch error.code {
        case .permissionDenied: self.init(.permissionDenied, "Permission denied")
        case .preconditionFailed: self.init(.staleData, "Transaction needs to be run again with current data")
        case .tooLarge: self.init(isWrite ? .writeTooLarge : .tooLarge, error.message)
        // The location of the damage is only for the log: a client may not be permitted to know this path.
        case _ where error.isDamage: self.init(.unavailable, "The service's database is damaged")
        default:
            let advice = error.hint.map { ". \($0)" } ?? ""
            self.init(error.isTransient ? .unavailable : .failure, error.message + advice)
        }
    }

    private init(_ error: AccessError) {
        switch error {
        case .denied: self.init(.permissionDenied, error.text)
        case .badToken, .badOverride, .unknownKey: self.init(.invalidToken, error.text)
        case .expired, .revoked: self.init(.expiredToken, error.text)
        }
    }

    private init(_ error: Failure, isWrite: Bool) {
        switch error.code {
        case .permissionDenied: self.init(.permissionDenied, error.message)
        case .writeTooLarge: self.init(.writeTooLarge, error.message)
        case .tooManyWrites, .tooManyReads, .tooManyRequests: self.init(.unavailable, error.description)
        default: self.init(error.isTransient ? .unavailable : .failure, error.description)
        }
    }
}
