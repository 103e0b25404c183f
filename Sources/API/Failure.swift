/// Why something was refused or failed: a code for programs, a message and a hint for people.
package struct Failure: Error, Document, Hashable, CustomStringConvertible {
    /// The reason, for programs.
    package let code: ErrorCode
    /// What to do about it, for a person.
    package let hint: String
    /// What was wrong with what, for a person.
    package let message: String
    /// Whether the same work may succeed later with nothing changed but the circumstances. Documents do not tell it.
    package private(set) var isTransient = false
    /// The seconds after which the same work may succeed, where that is known. Answers tell it in a header.
    package private(set) var retryAfter: Int?
    /// What only the log is told.
    package private(set) var reason = ""

    /// Of what would be more than somebody may store: how much that is.
    package var room: Room?

    /// What somebody has stored, may store, and wanted to store besides, in bytes.
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

    /// The message and, in brackets, the hint.
    package var description: String { hint.isEmpty ? message : "\(message) (\(hint))" }
}

extension Failure {
    /// The refusal of what an identity may not do.
    package static func permissionDenied(hint: String = "") -> Failure {
        Failure(.permissionDenied, "Permission denied", hint: hint)
    }

    /// The refusal of what somebody may not do, though it is known who they are.
    package static func notAllowed(_ what: String) -> Failure {
        Failure(.notAllowed, "you may not \(what)", hint: "whoever it belongs to may, and an admin")
    }

    /// The refusal of a text that is to be somebody's id, and is none.
    package static func noUserID(_ text: String) -> Failure {
        Failure(.badUser, "\"\(text.prefix(80))\" is no user id", hint: "use 1 to 128 letters, digits, _ and -")
    }
}
