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

    private enum CodingKeys: CodingKey { case code, hint, message }

    package init(_ code: ErrorCode, _ message: String, hint: String = "", isTransient: Bool = false) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isTransient = isTransient
    }

    /// The message and, in brackets, the hint.
    package var description: String { hint.isEmpty ? message : "\(message) (\(hint))" }
}
