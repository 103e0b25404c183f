import API
import TreeModel
import Uploads

/// An error in a text that a person wrote, and its position.
struct TextFault: Error, CustomStringConvertible {
    /// The largest number of characters of a line that are shown.
    private static let maxShown = 100

    /// The file's name.
    let name: String
    /// The line and the column, in characters, from 1.
    let line: Int
    let column: Int
    let message: String
    /// The text of the line.
    private let lineText: String

    init(in file: TextFile, line: Int, column: Int, message: String) {
        name = file.name
        self.line = line
        self.column = column
        self.message = message
        let lines = file.text.utf8.split(
            separator: UInt8(ascii: "\n"), maxSplits: max(line, 1), omittingEmptySubsequences: false)
        lineText = lines.indices.contains(line - 1) ? String(Substring(lines[line - 1])) : ""
    }

    /// Creates an error from a failure whose message begins with the line and the column; nil for other failures.
    init?(_ error: TreeError, in file: TextFile) {
        let parts = error.message.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let line = Int(parts[0]), let column = Int(parts[1]) else { return nil }
        self.init(in: file, line: line, column: column, message: String(parts[2].drop { $0 == " " }))
    }

    /// - Parameter offset: The position of the error, in bytes.
    init(in file: TextFile, atByte offset: Int, message: String) {
        let before = file.text.utf8.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        // Continuation bytes of UTF-8 are not counted.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        self.init(
            in: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column, message: message)
    }

    /// The error on one line; on a terminal, followed by the faulty line with a mark under the column.
    var description: String {
        let place = "\(name):\(line):\(column): \(message)".printable
        return Terminal.isInteractive ? ([place] + excerpt).joined(separator: "\n") : place
    }

    /// The faulty line, or the part of it around the column, and a line with a mark under the column.
    var excerpt: [String] {
        let all = Array(lineText.unicodeScalars)
        let position = min(max(column - 1, 0), all.count)
        let start =
            all.count <= Self.maxShown ? 0 : max(0, min(position - Self.maxShown / 2, all.count - Self.maxShown))
        let end = min(all.count, start + Self.maxShown)
        // Characters whose width is not one column would move the mark.
        let shown = all[start..<end].map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: String(scalar)
            }
        }.joined()
        let (head, tail) = (start > 0 ? "…" : "", end < all.count ? "…" : "")
        let padding = String(repeating: " ", count: head.count + position - start)
        return ["  \(head)\(shown)\(tail)", "  \(padding)^"]
    }
}
