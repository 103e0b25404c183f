import Glibc

extension Span where Element == UInt8 {
    /// Returns the big-endian number at an offset; throws if the bytes end before it does.
    func bigEndian<Integer: FixedWidthInteger & UnsignedInteger>(at offset: Int) throws(TreeError) -> Integer {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset <= count - size else { throw TreeError.corrupt("a row in the store is truncated") }
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

    /// Whether these bytes sort before others, as unsigned bytes.
    func precedes(_ other: Span<UInt8>) -> Bool {
        let order = order(against: other, count: Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }

    /// Compares the first `count` bytes, which both sequences must have; the result is less than 0 if these sort first.
    private func order(against other: Span<UInt8>, count: Int) -> Int32 {
        withUnsafeBufferPointer { bytes in
            other.withUnsafeBufferPointer { other in
                guard count > 0, let bytes = bytes.baseAddress, let other = other.baseAddress else { return 0 }
                return memcmp(bytes, other, count)
            }
        }
    }

    /// Returns the number of leading bytes that both sequences share.
    func commonPrefixLength(with other: Span<UInt8>) -> Int {
        var length = 0
        while length < count, length < other.count, self[length] == other[length] { length += 1 }
        return length
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in big-endian order, so that unsigned numbers sort as bytes.
    mutating func appendBigEndian<Integer: FixedWidthInteger>(_ integer: Integer) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a run of bytes, preceded by its length in four bytes.
    mutating func appendCounted(_ run: Span<UInt8>) {
        appendBigEndian(UInt32(truncatingIfNeeded: run.count))
        append(run)
    }

    /// The bytes as hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// A cursor over a row that was written with `appendBigEndian` and `appendCounted`.
struct ByteCursor {
    private(set) var offset = 0

    init(offset: Int = 0) { self.offset = offset }

    /// Reads the next number.
    mutating func next<Integer: FixedWidthInteger & UnsignedInteger>(
        in bytes: Span<UInt8>
    ) throws(TreeError) -> Integer {
        let integer: Integer = try bytes.bigEndian(at: offset)
        offset += MemoryLayout<Integer>.size
        return integer
    }

    /// Reads the range of the next counted run of bytes.
    mutating func nextRun(in bytes: Span<UInt8>) throws(TreeError) -> Range<Int> {
        let length: UInt32 = try next(in: bytes)
        guard Int(length) <= bytes.count - offset else { throw TreeError.corrupt("a row in the store is truncated") }
        defer { offset += Int(length) }
        return offset..<offset + Int(length)
    }
}
