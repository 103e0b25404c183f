#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads numbers from bytes that nobody has checked: every answer is nil beyond the end.
extension Span<UInt8> {
    func byte(at offset: Int) -> UInt8? {
        indices.contains(offset) ? self[offset] : nil
    }

    /// The first place of a byte, at an offset or behind it.
    func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
        guard indices.contains(offset) else { return nil }
        return unsafe extracting(offset...).withUnsafeBytes { rest in
            // `rest` has as many bytes as it says, and at least one.
            guard let start = rest.baseAddress, let found = unsafe memchr(start, Int32(byte), rest.count) else {
                return nil
            }
            return unsafe offset + (UnsafeRawPointer(found) - start)
        }
    }

    func uint16(at offset: Int, isLittleEndian: Bool = false) -> Int? {
        guard let first = byte(at: offset), let second = byte(at: offset + 1) else { return nil }
        return isLittleEndian ? Int(second) << 8 | Int(first) : Int(first) << 8 | Int(second)
    }

    /// Little endian, as WebP has it.
    func uint24(at offset: Int) -> Int? {
        guard let low = uint16(at: offset, isLittleEndian: true), let high = byte(at: offset + 2) else { return nil }
        return Int(high) << 16 | low
    }

    func uint32(at offset: Int, isLittleEndian: Bool = false) -> Int? {
        guard let first = uint16(at: offset, isLittleEndian: isLittleEndian),
            let second = uint16(at: offset + 2, isLittleEndian: isLittleEndian)
        else { return nil }
        return isLittleEndian ? second << 16 | first : first << 16 | second
    }

    /// Whether the bytes at `offset` are those of an ASCII text.
    func starts(with text: String, at offset: Int = 0) -> Bool { starts(with: text.utf8, at: offset) }

    /// Whether these bytes are at `offset`.
    func starts(with signature: some Sequence<UInt8>, at offset: Int) -> Bool {
        var position = offset
        for byte in signature {
            guard self.byte(at: position) == byte else { return false }
            position += 1
        }
        return true
    }
}
