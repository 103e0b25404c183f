/// Reads consecutive big-endian numbers of 1 to 4 bytes.
struct Fields {
    private(set) var offset: Int
    private let end: Int

    init(in range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Reads the next number; returns nil if it extends beyond the end.
    mutating func next(_ byteCount: Int, _ bytes: Span<UInt8>) -> Int? {
        guard offset + byteCount <= end else { return nil }
        var value = 0
        for index in 0..<byteCount {
            guard let byte = bytes.byte(at: offset + index) else { return nil }
            value = value << 8 | Int(byte)
        }
        offset += byteCount
        return value
    }

    /// Moves past a number of bytes and returns their range; nil if they extend beyond the end.
    mutating func skip(_ byteCount: Int) -> Range<Int>? {
        guard byteCount <= end - offset else { return nil }
        defer { offset += byteCount }
        return offset..<offset + byteCount
    }

    /// Reads the next number, whose size is given by the file: 0, 4 or 8 bytes; its value must be less than 2^32.
    mutating func next(ofSize byteCount: Int, _ bytes: Span<UInt8>) -> Int? {
        switch byteCount {
        case 0: 0
        case 4: next(4, bytes)
        case 8: next(4, bytes) == 0 ? next(4, bytes) : nil
        default: nil
        }
    }
}
