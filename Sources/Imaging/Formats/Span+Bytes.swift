#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Numbers and texts in untrusted bytes; every result is nil, or false, beyond the end.
extension Span<UInt8> {
    func byte(at offset: Int) -> UInt8? {
        indices.contains(offset) ? self[offset] : nil
    }

    /// Returns the first position of a byte at or after an offset.
    func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
        guard indices.contains(offset) else { return nil }
        return unsafe extracting(offset...).withUnsafeBytes { rest in
            // `rest` has `rest.count` bytes, and at least one.
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

    /// Reads a little-endian number, as in a WebP.
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

    /// Whether the bytes at an offset begin with an ASCII text.
    func starts(with text: String, at offset: Int = 0) -> Bool { starts(with: text.utf8, at: offset) }

    /// Whether the bytes at an offset begin with the given bytes.
    func starts(with signature: some Sequence<UInt8>, at offset: Int) -> Bool {
        var position = offset
        for byte in signature {
            guard self.byte(at: position) == byte else { return false }
            position += 1
        }
        return true
    }
}
