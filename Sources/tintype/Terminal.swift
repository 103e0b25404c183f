import ArgumentParser
import Foundation
import Synchronization
import Tree

/// What the process writes to: data to standard output, all else to standard error; each line at once, for pipes.
enum Terminal {
    private struct State {
        /// Whether the cursor stands behind something that was drawn: a line would be put behind it.
        var isDrawn = false
        var outputFault: (any Error)?
    }

    private static let state = Mutex(State())

    /// Whether somebody is looking at standard error.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// Why data could not be written; nil when all was, or when its reader went away (`| head`), which is no failure of
    /// ours.
    static var outputFault: (any Error)? { state.withLock { $0.outputFault } }

    /// Writes a line of data.
    static func say(_ line: String) {
        clear()
        do {
            try Array((line + "\n").utf8).withUnsafeBytes { try StandardOutput.write($0) }
        } catch is Outcome {
            return
        } catch {
            state.withLock { $0.outputFault = $0.outputFault ?? error }
        }
    }

    /// Writes one JSON document on one line.
    static func emit(_ document: TreeValue) {
        say(String(decoding: document.json(), as: UTF8.self))
    }

    /// Writes a line for a person.
    static func tell(_ line: String) {
        clear()
        write(line + "\n")
    }

    /// Writes a complaint that names its maker, as the lines of several programs may be mixed.
    static func complain(_ message: String) {
        tell("tintype: \(message)")
    }

    /// Draws on the line where the cursor is, in place of what was drawn there before.
    static func draw(_ text: String) {
        clear()
        state.withLock { $0.isDrawn = true }
        write(text)
    }

    /// Lets what was drawn stand, and goes on below it.
    static func endLine() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\n") }
    }

    /// Asks a person whether a deed that cannot be undone, such as "delete 3 posts", shall be done.
    ///
    /// - Throws: `ValidationError` when nobody can be asked, and `Outcome.failed` for any answer but yes.
    static func confirm(_ deed: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("this would \(deed); add --yes to do so unasked")
        }
        clear()
        write("\(deed.prefix(1).uppercased())\(deed.dropFirst())? [y/N] ")
        guard readLine()?.lowercased().hasPrefix("y") == true else { throw Outcome.failed }
    }

    private static func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { write("\r\u{1B}[K") }
    }

    /// What people are told is not worth failing for.
    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
