import Foundation
import Tree

/// What the process writes to: data to standard output, all else to standard error; each line at once, for pipes.
enum Terminal {
    /// Whether somebody is looking at standard error.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line of data.
    static func say(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    /// Writes one JSON document on one line.
    static func emit(_ document: TreeValue) {
        say(String(decoding: document.json(), as: UTF8.self))
    }

    /// Writes a line for a person.
    static func tell(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    /// Writes a complaint that names its maker, as the lines of several programs may be mixed.
    static func complain(_ message: String) {
        tell("tintype: \(message)")
    }

    /// Draws on the line where the cursor is.
    static func draw(_ text: String) {
        write(text, to: .standardError)
    }

    /// A reader that went away (`| head`) is no failure of ours.
    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
