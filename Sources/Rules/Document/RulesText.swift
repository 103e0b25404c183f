import TreeModel

/// A rules document as it was written, with the positions of its parts.
struct RulesText {
    let bytes: [UInt8]
    /// The text, in UTF-8, with its comments replaced by spaces.
    private(set) var json: [UInt8]
    /// The offsets of the opening quotes of all strings, including keys, in their order.
    private(set) var stringOffsets: [Int] = []
    /// The last requested position, because positions are mostly requested in their order.
    private var last = (offset: 0, line: 1, column: 1)

    /// Creates a text that is not JSON, for the positions in it.
    init(plain bytes: [UInt8]) {
        self.bytes = bytes
        json = []
    }

    /// Finds the comments and the strings of a document.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules` for a comment without an end.
    init(_ bytes: [UInt8]) throws(TreeError) {
        self.bytes = bytes
        json = bytes
        var index = 0
        while index < bytes.count {
            switch (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) {
            case (UInt8(ascii: "\""), _):
                stringOffsets.append(index)
                index = endOfString(from: index)
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                blank(index..<end)
                index = end
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                guard let end = endOfComment(from: index + 2) else {
                    throw invalid("a comment has no end", at: index)
                }
                blank(index..<end)
                index = end
            default:
                index += 1
            }
        }
    }

    private func endOfString(from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private func endOfComment(from start: Int) -> Int? {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
            index += 1
        }
        return nil
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range where json[index] != UInt8(ascii: "\n") { json[index] = UInt8(ascii: " ") }
    }

    // MARK: Positions

    /// Returns the line and the column of a byte, from 1; columns are in characters.
    mutating func position(of offset: Int) -> (line: Int, column: Int) {
        if offset < last.offset { last = (0, 1, 1) }
        for byte in bytes[last.offset..<min(offset, bytes.count)] {
            if byte == UInt8(ascii: "\n") {
                last.line += 1
                last.column = 1
            } else if byte & 0xC0 != 0x80 {
                // All bytes except those that continue a character.
                last.column += 1
            }
        }
        last.offset = min(offset, bytes.count)
        return (last.line, last.column)
    }

    /// Returns the failure of a document that violates the rules' language at a byte.
    mutating func invalid(_ complaint: String, at offset: Int) -> TreeError {
        let (line, column) = position(of: offset)
        return TreeError(
            .invalidRules, "\(line):\(column): \(complaint)", hint: "Correct the rules. The old ones stay.")
    }

    /// Returns the byte of the document that a byte of a decoded string comes from.
    func offset(ofByte target: Int, inStringAt start: Int) -> Int {
        var (index, produced) = (start + 1, 0)
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), produced < target {
            let (length, decoded) = unit(at: index)
            guard produced + decoded <= target else { break }
            index += length
            produced += decoded
        }
        return min(index, bytes.count)
    }

    /// Returns the number of bytes of one written character of a string, and of its decoded form.
    private func unit(at index: Int) -> (length: Int, decoded: Int) {
        guard bytes[index] == UInt8(ascii: "\\") else { return (1, 1) }
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") else { return (2, 1) }
        let code = hexadecimal(at: index + 2)
        switch code {
        case 0..<0x80: return (6, 1)
        case 0x80..<0x800: return (6, 2)
        // The first half of a surrogate pair, whose second half is escaped, too.
        case 0xD800..<0xDC00: return (12, 4)
        default: return (6, 3)
        }
    }

    private func hexadecimal(at start: Int) -> Int {
        guard start + 4 <= bytes.count else { return 0 }
        return bytes[start..<start + 4].reduce(0) { $0 << 4 | (Character(UnicodeScalar($1)).hexDigitValue ?? 0) }
    }
}
