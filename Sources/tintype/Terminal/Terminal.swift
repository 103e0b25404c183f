import API
import ArgumentParser
import Foundation
import Synchronization

/// The process's two outputs: data goes to standard output, everything for people to standard error.
///
/// Each line is written at once, so that pipes see it. Thread-safe.
enum Terminal {
    private struct State {
        /// Whether the cursor stands behind a progress bar, to which a line would be appended.
        var isDrawn = false
        var outputFault: (any Error)?
    }

    private static let state = Mutex(State())

    /// Whether standard error is a terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// The error that kept data from being written; nil when there was none, or when the reader closed the pipe
    /// (`| head`), which is no failure.
    static var outputFault: (any Error)? { state.withLock { $0.outputFault } }

    /// Writes a line of data to standard output.
    static func output(_ line: String) {
        clear()
        do {
            try Array((line + "\n").utf8).withUnsafeBytes { try StandardOutput.write($0) }
        } catch is ExitStatus {
            return
        } catch {
            state.withLock { $0.outputFault = $0.outputFault ?? error }
        }
    }

    /// Writes one JSON document on one line of standard output.
    static func outputJSON(_ document: some Document) {
        output(String(decoding: document.json(), as: UTF8.self))
    }

    /// Writes a line for a person to standard error.
    static func note(_ line: String) {
        clear()
        write(line + "\n")
    }

    /// Writes an error to standard error, with the program's name, as the lines of several programs may be mixed.
    static func error(_ message: String) {
        note("tintype: \(message)")
    }

    /// Draws on the cursor's line, and replaces what was drawn there before.
    static func draw(_ text: String) {
        clear()
        state.withLock { $0.isDrawn = true }
        write(text)
    }

    /// Ends the line on which something was drawn; what was drawn stays.
    static func endLine() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\n") }
    }

    /// Asks a person whether an action that cannot be undone, such as "delete 3 posts", is to be carried out.
    ///
    /// - Throws: `ValidationError` when standard input is no terminal, and `ExitStatus.failed` for any answer but yes.
    static func confirm(_ action: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("this would \(action); add --yes to do so without a question")
        }
        clear()
        write("\(action.prefix(1).uppercased())\(action.dropFirst())? [y/N] ")
        guard readLine()?.lowercased().hasPrefix("y") == true else { throw ExitStatus.failed }
    }

    private static func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\r\u{1B}[K") }
    }

    /// Writes to standard error; a message that cannot be written is no reason to fail.
    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
