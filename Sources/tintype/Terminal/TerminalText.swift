import API
import Uploads

/// Text that others may have written, for a terminal: what would control it is escaped. It is taken in pieces of any length.
struct TerminalText {
    /// The beginning of a character whose end has not come yet.
    private var rest: [UInt8] = []

    /// The next piece of the text, as far as its characters are complete.
    mutating func show(_ bytes: [UInt8]) -> String {
        rest += bytes
        let end = completeCount
        let lines = rest[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let text = lines.map { String(decoding: $0, as: UTF8.self).printable }.joined(separator: "\n")
        rest.removeFirst(end)
        return text
    }

    /// The number of bytes before the character that is not complete.
    private var completeCount: Int {
        guard let start = rest.indices.suffix(3).last(where: { rest[$0] >= 0xC0 }) else { return rest.count }
        let length = rest[start] >= 0xF0 ? 4 : rest[start] >= 0xE0 ? 3 : 2
        return start + length > rest.count ? start : rest.count
    }
}
