/// The reason why a request was refused or an operation failed: a code for programs, a message and a hint for people.
package struct Failure: Error, Document, Hashable, CustomStringConvertible {
    /// The reason, for programs.
    package let code: ErrorCode
    /// The advice on how to resolve the failure, for people; empty for none.
    package let hint: String
    /// The description of the failure, for people.
    package let message: String
    /// Whether the same operation may succeed later without a change. Documents do not contain it.
    package private(set) var isTransient = false
    /// The seconds after which the same operation may succeed, if that is known. Responses contain it in a header
    /// field.
    package private(set) var retryAfter: Int?
    /// The details that are written to the log only.
    package private(set) var reason = ""

    /// The sizes behind a failure that a quota caused; nil for other failures.
    package var room: Room?

    /// The bytes that a user has stored, may store, and requested in addition.
    package struct Room: Sendable, Hashable {
        package let used: Int
        package let quota: Quota
        package let needed: Int

        package init(used: Int, quota: Quota, needed: Int) {
            (self.used, self.quota, self.needed) = (used, quota, needed)
        }
    }

    private enum CodingKeys: CodingKey { case code, hint, message }

    package init(
        _ code: ErrorCode, _ message: String, hint: String = "", isTransient: Bool = false, retryAfter: Int? = nil,
        reason: String = ""
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isTransient = isTransient
        self.retryAfter = retryAfter
        self.reason = reason
    }

    /// The message, followed by the hint as a sentence of its own.
    package var description: String {
        if hint.isEmpty { return message }
        return message.hasSuffix(".") || message.hasSuffix("?") ? "\(message) \(hint)" : "\(message). \(hint)"
    }
}

extension Failure {
    /// Returns the failure of an operation that the identity may not perform.
    package static func permissionDenied(hint: String = "") -> Failure {
        Failure(.permissionDenied, "Permission denied", hint: hint)
    }

    /// Returns the failure of an operation that an authenticated user may not perform.
    package static func notAllowed(_ what: String) -> Failure {
        Failure(.notAllowed, "you may not \(what)", hint: "Sign in as the owner or an admin.")
    }

    /// Returns the failure of a text that should be a user id and is not.
    package static func noUserID(_ text: String) -> Failure {
        Failure(
            .badUser, "\"\(text.prefix(80))\" is not a user id",
            hint: text.contains("@")
                ? "Use the id of the account, which \"tintype user show\" prints."
                : "Use 1 to 128 letters, digits, _ and -.")
    }
}
