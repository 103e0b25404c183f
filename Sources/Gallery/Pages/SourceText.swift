/// A module or a style sheet as it is written, which can be shortened before it is sent.
///
/// The lines and their content stay; only indents, empty lines and comment lines are removed. The sources must not
/// contain texts over several lines.
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
