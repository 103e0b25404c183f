extension Span where Element == UInt8 {
    /// The number whose bytes begin at an offset, most significant first; bytes that are missing are an error.
    func bigEndian<Integer: FixedWidthInteger & UnsignedInteger>(at offset: Int) throws(TreeError) -> Integer {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset <= count - size else { throw TreeError.corrupt("a row in the store is cut short") }
        var integer: Integer = 0
        for index in offset..<offset + size { integer = integer << 8 | Integer(self[index]) }
        return integer
    }

    /// The bytes as an array of their own.
    var copied: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}

extension Array where Element == UInt8 {
    /// Appends a number, most significant byte first, so that unsigned numbers sort as bytes.
    mutating func appendBigEndian<Integer: FixedWidthInteger>(_ integer: Integer) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a run of bytes behind its length in four bytes.
    mutating func appendCounted(_ run: [UInt8]) {
        appendBigEndian(UInt32(truncatingIfNeeded: run.count))
        append(contentsOf: run)
    }
}

/// Walks through a row that was written with `appendBigEndian` and `appendCounted`.
struct ByteCursor {
    private(set) var offset = 0

    /// The next number.
    mutating func next<Integer: FixedWidthInteger & UnsignedInteger>(
        in bytes: Span<UInt8>
    ) throws(TreeError) -> Integer {
        let integer: Integer = try bytes.bigEndian(at: offset)
        offset += MemoryLayout<Integer>.size
        return integer
    }

    /// Where the next counted run of bytes is.
    mutating func nextRun(in bytes: Span<UInt8>) throws(TreeError) -> Range<Int> {
        let length: UInt32 = try next(in: bytes)
        guard Int(length) <= bytes.count - offset else { throw TreeError.corrupt("a row in the store is cut short") }
        defer { offset += Int(length) }
        return offset..<offset + Int(length)
    }
}

extension String {
    /// The text of these bytes; nil if they are not UTF-8.
    init?(validating bytes: Span<UInt8>) {
        let string = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        guard let string else { return nil }
        self = string
    }
}
