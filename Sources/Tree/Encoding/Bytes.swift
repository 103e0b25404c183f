import Glibc

extension Span where Element == UInt8 {
    /// The number whose bytes begin at an offset, most significant first; bytes that are missing are an error.
    func bigEndian<Integer: FixedWidthInteger & UnsignedInteger>(at offset: Int) throws(TreeError) -> Integer {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset <= count - size else { throw TreeError.corrupt("a row in the store is cut short") }
        var integer: Integer = 0
        for index in offset..<offset + size { integer = integer << 8 | Integer(self[index]) }
        return integer
    }

    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        count == other.count && starts(with: other)
    }

    func starts(with prefix: Span<UInt8>) -> Bool {
        guard prefix.count <= count else { return false }
        return order(against: prefix, count: prefix.count) == 0
    }

    /// Whether these bytes come first in the order of unsigned bytes.
    func precedes(_ other: Span<UInt8>) -> Bool {
        let order = order(against: other, count: Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }

    /// The order of the first `count` bytes, which both have: less than 0 if these come first.
    private func order(against other: Span<UInt8>, count: Int) -> Int32 {
        withUnsafeBufferPointer { bytes in
            other.withUnsafeBufferPointer { other in
                guard count > 0, let bytes = bytes.baseAddress, let other = other.baseAddress else { return 0 }
                return memcmp(bytes, other, count)
            }
        }
    }

    /// The number of bytes at the start that are the same.
    func commonPrefixLength(with other: Span<UInt8>) -> Int {
        var length = 0
        while length < count, length < other.count, self[length] == other[length] { length += 1 }
        return length
    }
}

extension Array where Element == UInt8 {
    /// Appends a number, most significant byte first, so that unsigned numbers sort as bytes.
    mutating func appendBigEndian<Integer: FixedWidthInteger>(_ integer: Integer) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a run of bytes behind its length in four bytes.
    mutating func appendCounted(_ run: Span<UInt8>) {
        appendBigEndian(UInt32(truncatingIfNeeded: run.count))
        append(run)
    }

    /// The bytes in hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Walks through a row that was written with `appendBigEndian` and `appendCounted`.
struct ByteCursor {
    private(set) var offset = 0

    init(offset: Int = 0) { self.offset = offset }

    /// The next number.
    mutating func next<Integer: FixedWidthInteger & UnsignedInteger>(
        in bytes: Span<UInt8>
    ) throws(TreeError) -> Integer {
        let integer: Integer = try bytes.bigEndian(at: offset)
        offset += MemoryLayout<Integer>.size
        return integer
    }

    /// The range of the next counted run of bytes.
    mutating func nextRun(in bytes: Span<UInt8>) throws(TreeError) -> Range<Int> {
        let length: UInt32 = try next(in: bytes)
        guard Int(length) <= bytes.count - offset else { throw TreeError.corrupt("a row in the store is cut short") }
        defer { offset += Int(length) }
        return offset..<offset + Int(length)
    }
}
