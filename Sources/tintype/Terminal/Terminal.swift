import API
import ArgumentParser
import Foundation
import Glibc
import Synchronization

/// The process's two outputs: data on standard output, and all text for people on standard error.
///
/// Each line is written immediately, so that pipes see it. Thread-safe.
enum Terminal {
    private struct State {
        /// Whether the cursor is after a progress bar, to which a line would be appended.
        var isDrawn = false
        var outputFault: (any Error)?
    }

    private static let state = Mutex(State())

    /// Whether standard error is a terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// The number of columns of the terminal that shows standard output; nil if it is not a terminal, or says no number.
    static var width: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The error of writing data; nil when there was none, or when the reader closed the pipe (`| head`), which is not
    /// a failure.
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

    /// Writes an error to standard error, with the program's name, because the lines of several programs may be mixed.
    ///
    /// Control characters are escaped, apart from line breaks: errors repeat arguments and the names of strangers.
    static func error(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        note("tintype: " + lines.map { String($0).printable }.joined(separator: "\n"))
    }

    /// Draws on the cursor's line, and replaces the earlier drawing there.
    static func draw(_ text: String) {
        clear()
        state.withLock { $0.isDrawn = true }
        write(text)
    }

    /// Ends the line of a drawing, which stays visible.
    static func endLine() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\n") }
    }

    /// Keeps the drawing on the cursor's line: a person has answered it, and the terminal has ended the line.
    static func answered() { state.withLock { $0.isDrawn = false } }

    /// Asks for confirmation of an action that cannot be undone, such as "delete 3 posts".
    ///
    /// - Throws: `ValidationError` when standard input is not a terminal, and `ExitStatus.failed` for any answer but
    ///   yes.
    static func confirm(_ action: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("this would \(action); add --yes to do so without a question")
        }
        clear()
        write("\(action.prefix(1).uppercased())\(action.dropFirst())? [y/N] ".printable)
        guard readLine()?.lowercased().hasPrefix("y") == true else { throw ExitStatus.failed }
    }

    private static func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\r\u{1B}[K") }
    }

    /// Writes to standard error. A failure to write is ignored.
    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
