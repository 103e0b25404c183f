import API

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

    /// Whether a text from a stranger can be the name of a file that others see: one component, without control
    /// characters, not hidden, and short enough for a document beside it.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix(".") && !text.contains("/") && text.printable == text
    }

    /// Returns what follows a name's last dot, in lower case, with `jpg` for `jpeg`; the empty string without a dot.
    static func ending(of name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        let ending = name[name.index(after: dot)...].lowercased()
        return ending == "jpeg" ? "jpg" : ending
    }

    /// Returns a name with a mark before its ending, for use when the name itself exists.
    static func marked(_ name: String, with mark: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 20 else {
            return "\(shortened(name, to: 180)).\(mark)"
        }
        return "\(shortened(String(name[..<dot]), to: 160)).\(mark)\(name[dot...])"
    }
}
