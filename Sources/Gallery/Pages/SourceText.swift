/// A module or a style sheet as it is written, of which less has to be sent.
///
/// The lines stay, and so does what is on them: only indents, empty lines and the lines that are comments alone go. Sources that are
/// read so may have no text over several lines.
struct SourceText {
    private let lines: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: UInt8(ascii: "\n"))
    }

    /// The text without indents, comments and empty lines.
    var compact: [UInt8] {
        var compact: [UInt8] = []
        var isComment = false
        for line in lines {
            let words = line.drop { $0 == UInt8(ascii: " ") }
            if words.starts(with: "/*".utf8) { isComment = true }
            defer { if isComment, words.suffix(2).elementsEqual("*/".utf8) { isComment = false } }
            guard !isComment, !words.isEmpty, !words.starts(with: "//".utf8) else { continue }
            compact += words
            compact.append(UInt8(ascii: "\n"))
        }
        return compact
    }
}
