/// The derivation of file names from those that users chose; file names have at most 255 bytes.
enum FileName {
    /// Returns the name of the document beside a file.
    static func document(of name: String, kind: String) -> String {
        "\(shortened(name, to: 235)).\(kind).json"
    }

    /// Returns the beginning of a name; at least one character, even if that is longer than the limit.
    static func shortened(_ name: String, to maxBytes: Int) -> String {
        var short = name.unicodeScalars
        while short.count > 1, String(short).utf8.count > maxBytes { short.removeLast() }
        return String(short)
    }

    /// Returns a name with a mark before its ending, for use when the name itself exists.
    static func marked(_ name: String, with mark: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 20 else {
            return "\(shortened(name, to: 180)).\(mark)"
        }
        return "\(shortened(String(name[..<dot]), to: 160)).\(mark)\(name[dot...])"
    }
}
