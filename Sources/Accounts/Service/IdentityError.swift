package import TreeModel

/// The reason why a request about accounts is refused, in the words that Firebase's SDKs know.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status.
    package let status: Int
    /// The code, such as `EMAIL_EXISTS`; behind ` : ` words for people may follow.
    package let message: String
    /// The time after which another try makes sense, in seconds; nil when none does.
    package private(set) var retryAfterSeconds: Int?
    /// What is behind it, for logs; no caller is told.
    package private(set) var reason: String?

    package init(_ message: String, status: Int = 400, retryAfterSeconds: Int? = nil, reason: String? = nil) {
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.reason = reason
    }

    /// The message without the words for people.
    package var code: String { message.split(separator: " ").first.map(String.init) ?? message }

    package var description: String { message }

    /// The answer; nil when it must not be JSON.
    ///
    /// The JavaScript SDK takes every error in JSON that it meets when it starts as a reason to sign its user out, and
    /// what is no JSON as trouble with the network, after which it tries again.
    package var document: JSONValue? {
        guard status < 500 else { return nil }
        let entry: JSONValue = [
            "message": .string(message), "reason": status == 403 ? "forbidden" : "invalid", "domain": "global",
        ]
        return ["error": ["code": .integer(status), "message": .string(message), "errors": [entry]]]
    }
}

extension IdentityError {
    static let emailExists = IdentityError("EMAIL_EXISTS")
    static let emailNotFound = IdentityError("EMAIL_NOT_FOUND")
    static let invalidEmail = IdentityError("INVALID_EMAIL")
    static let invalidPassword = IdentityError("INVALID_PASSWORD")
    static let invalidCredentials = IdentityError("INVALID_LOGIN_CREDENTIALS")
    static let userDisabled = IdentityError("USER_DISABLED")
    static let userNotFound = IdentityError("USER_NOT_FOUND")
    static let invalidIDToken = IdentityError("INVALID_ID_TOKEN")
    static let tokenExpired = IdentityError("TOKEN_EXPIRED")
    static let invalidRefreshToken = IdentityError("INVALID_REFRESH_TOKEN")
    static let invalidCode = IdentityError("INVALID_OOB_CODE")
    static let operationNotAllowed = IdentityError("OPERATION_NOT_ALLOWED")
    static let insufficientPermission = IdentityError("INSUFFICIENT_PERMISSION", status: 403)
    static let duplicateID = IdentityError("DUPLICATE_LOCAL_ID")
    static let phoneNumberExists = IdentityError("PHONE_NUMBER_EXISTS")
    static let alreadyLinked = IdentityError("FEDERATED_USER_ID_ALREADY_LINKED")

    /// The field of a request is missing, as Firebase says it: `MISSING_EMAIL`.
    static func missing(_ name: String) -> IdentityError { IdentityError("MISSING_\(name)") }

    /// The field of a request has a value of another type or length than it should.
    static func invalidValue(_ name: String) -> IdentityError {
        IdentityError("INVALID_ARGUMENT : Invalid value of \(name)")
    }

    /// There were too many tries.
    static func tooManyAttempts(retryAfterSeconds: Int) -> IdentityError {
        IdentityError(
            "TOO_MANY_ATTEMPTS_TRY_LATER : Try again in \(retryAfterSeconds) seconds", status: 429,
            retryAfterSeconds: retryAfterSeconds)
    }

    /// The service cannot do it now, and may later.
    ///
    /// - Parameter reason: What is behind it, for logs.
    static func unavailable(retryAfterSeconds: Int = 5, reason: String? = nil) -> IdentityError {
        IdentityError("the service is busy", status: 503, retryAfterSeconds: retryAfterSeconds, reason: reason)
    }
}
