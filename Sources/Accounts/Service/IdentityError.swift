package import TreeModel

/// The error of an account request, in the texts that Firebase's SDKs expect.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status.
    package let status: Int
    /// The code, such as `EMAIL_EXISTS`; ` : ` and a text for people may follow.
    package let message: String
    /// The time after which a retry makes sense, in seconds; nil if it does not.
    package private(set) var retryAfterSeconds: Int?
    /// The internal reason, for logs; it is not sent to callers.
    package private(set) var reason: String?

    package init(_ message: String, status: Int = 400, retryAfterSeconds: Int? = nil, reason: String? = nil) {
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.reason = reason
    }

    /// The message without the text for people.
    package var code: String { message.split(separator: " ").first.map(String.init) ?? message }

    package var description: String { message }

    /// The response body; nil for a status of 500 or above, whose body must not be JSON.
    ///
    /// While it starts, the JavaScript SDK signs its user out after any error in JSON. It treats any other body as a
    /// network error and retries.
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

    /// Returns the error for a missing field, in Firebase's form: `MISSING_EMAIL`.
    static func missing(_ name: String) -> IdentityError { IdentityError("MISSING_\(name)") }

    /// Returns the error for a field whose value has the wrong type or length.
    static func invalidValue(_ name: String) -> IdentityError {
        IdentityError("INVALID_ARGUMENT : Invalid value of \(name)")
    }

    /// Returns the error after too many attempts.
    static func tooManyAttempts(retryAfterSeconds: Int) -> IdentityError {
        IdentityError(
            "TOO_MANY_ATTEMPTS_TRY_LATER : Try again in \(retryAfterSeconds) seconds", status: 429,
            retryAfterSeconds: retryAfterSeconds)
    }

    /// Returns the error for an operation that may succeed later.
    ///
    /// - Parameter reason: The internal reason, for logs.
    static func unavailable(retryAfterSeconds: Int = 5, reason: String? = nil) -> IdentityError {
        IdentityError("the service is busy", status: 503, retryAfterSeconds: retryAfterSeconds, reason: reason)
    }
}
