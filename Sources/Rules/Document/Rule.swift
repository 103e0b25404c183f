/// A compiled `.read`, `.write` or `.validate` of a rules document.
package final class Rule: Sendable {
    /// The kind of decision of a rule.
    package enum Kind: String, Sendable {
        case read = ".read"
        case write = ".write"
        case validate = ".validate"
    }

    package let kind: Kind
    /// The expression as it was written, without the escapes of JSON.
    package let text: String
    /// The line of the rule's key in the document, from 1.
    package let line: Int
    /// The column of the rule's key in the document, in characters from 1.
    package let column: Int

    /// The compiled expression.
    let program: Program

    init(kind: Kind, text: String, line: Int, column: Int, program: Program) {
        self.kind = kind
        self.text = text
        self.line = line
        self.column = column
        self.program = program
    }
}
