import Files

/// A position in a text, in the form that editors use: "12:7" is the seventh byte of the twelfth line.
struct TextPosition: CustomStringConvertible {
    private static let pieceBytes = 1 << 20

    private(set) var line = 1
    private(set) var column = 1

    /// Finds the position of the byte at an offset in a file.
    init(ofByte offset: Int, in file: FileReader) throws(FileError) {
        var position = 0
        while position < offset {
            let bytes = try file.read(at: position, maxBytes: min(Self.pieceBytes, offset - position))
            guard !bytes.isEmpty else { return }
            for byte in bytes { advance(over: byte) }
            position += bytes.count
        }
    }

    private mutating func advance(over byte: UInt8) {
        column += 1
        if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
    }

    var description: String { "\(line):\(column)" }
}
