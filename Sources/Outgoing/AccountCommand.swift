package import Accounts

/// The operator's program that sends messages to people: it receives each one as JSON on its standard input.
package struct AccountCommand: Sendable {
    private let program: OperatorProgram

    package init(_ program: OperatorProgram) { self.program = program }

    /// - Returns: nil if the program does not exist.
    package init?(path: String) {
        guard let program = OperatorProgram(path: path) else { return nil }
        self.init(program)
    }

    /// The delivery of messages to the program.
    package var delivery: CodeDelivery { { [program] message in try await program.run(try message.json()) } }
}
