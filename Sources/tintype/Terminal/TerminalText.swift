import API
import Uploads

/// Untrusted text for a terminal: control characters are escaped. It is read in pieces of any length.
struct TerminalText {
    /// The bytes of a character whose end has not arrived yet.
    private var rest: [UInt8] = []

    /// Returns the next piece of the text, as far as its characters are complete.
    mutating func show(_ bytes: [UInt8]) -> String {
        rest += bytes
        let end = completeCount
        let lines = rest[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let text = lines.map { String(decoding: $0, as: UTF8.self).printable }.joined(separator: "\n")
        rest.removeFirst(end)
        return text
    }

    /// The number of bytes before the incomplete character.
    private var completeCount: Int {
        guard let start = rest.indices.suffix(3).last(where: { rest[$0] >= 0xC0 }) else { return rest.count }
        let length = rest[start] >= 0xF0 ? 4 : rest[start] >= 0xE0 ? 3 : 2
        return start + length > rest.count ? start : rest.count
    }
}
