/// One `.read`, `.write` or `.validate` of a rules document, compiled.
package final class Rule: Sendable {
    /// What a rule decides on.
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

    /// The expression as it is evaluated.
    let program: Program

    init(kind: Kind, text: String, line: Int, column: Int, program: Program) {
        self.kind = kind
        self.text = text
        self.line = line
        self.column = column
        self.program = program
    }
}
