/// Names beside and instead of those that people gave; file names have at most 255 bytes.
enum FileName {
    /// The name of the document beside a file.
    static func document(of name: String, kind: String) -> String {
        "\(shortened(name, to: 235)).\(kind).json"
    }

    /// The beginning of a name; never nothing, for a character may be longer than all that is wanted.
    static func shortened(_ name: String, to maxBytes: Int) -> String {
        var short = name.unicodeScalars
        while short.count > 1, String(short).utf8.count > maxBytes { short.removeLast() }
        return String(short)
    }

    /// A name with a mark before its ending, for where the name itself is taken.
    static func marked(_ name: String, with mark: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 20 else {
            return "\(shortened(name, to: 180)).\(mark)"
        }
        return "\(shortened(String(name[..<dot]), to: 160)).\(mark)\(name[dot...])"
    }
}
