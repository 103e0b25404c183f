/// A builder of TIFF structures as in EXIF (TIFF 6.0, section 2).
struct TIFFBuilder {
    /// The value of an entry of a directory: a number, bytes, or another directory.
    enum Value: Sendable {
        case short(Int), long(Int), bytes([UInt8]), directory([(tag: Int, value: Value)])
    }

    typealias Entries = [(tag: Int, value: Value)]

    private let isLittleEndian: Bool
    private var tiff: [UInt8]

    /// Returns the structure of a first directory, and of a second one.
    static func structure(_ first: Entries, then second: Entries? = nil, isLittleEndian: Bool = true) -> [UInt8] {
        var builder = TIFFBuilder(isLittleEndian)
        let next = builder.add(first)
        if let second {
            builder.write(builder.tiff.count, 4, at: next)
            _ = builder.add(second)
        }
        return builder.tiff
    }

    private init(_ isLittleEndian: Bool) {
        self.isLittleEndian = isLittleEndian
        tiff = isLittleEndian ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
    }

    /// Appends a directory.
    ///
    /// - Returns: The position of the offset of the next directory.
    private mutating func add(_ entries: Entries) -> Int {
        let start = tiff.count
        tiff += [UInt8](repeating: 0, count: 2 + entries.count * 12 + 4)
        write(entries.count, 2, at: start)
        for (index, entry) in entries.enumerated() {
            let place = start + 2 + index * 12
            write(entry.tag, 2, at: place)
            switch entry.value {
            case .short(let number): write(type: 3, count: 1, at: place, number, 2)
            case .long(let number): write(type: 4, count: 1, at: place, number, 4)
            case .bytes(let bytes):
                write(type: 7, count: bytes.count, at: place, tiff.count, 4)
                if bytes.count > 4 {
                    tiff += bytes
                } else {
                    tiff.replaceSubrange(place + 8..<place + 8 + bytes.count, with: bytes)
                }
            case .directory(let entries):
                write(type: 4, count: 1, at: place, tiff.count, 4)
                _ = add(entries)
            }
        }
        return start + 2 + entries.count * 12
    }

    private mutating func write(type: Int, count: Int, at place: Int, _ number: Int, _ byteCount: Int) {
        write(type, 2, at: place + 2)
        write(count, 4, at: place + 4)
        write(number, byteCount, at: place + 8)
    }

    private mutating func write(_ number: Int, _ byteCount: Int, at offset: Int) {
        for index in 0..<byteCount {
            tiff[offset + index] = UInt8(
                truncatingIfNeeded: number >> (8 * (isLittleEndian ? index : byteCount - 1 - index)))
        }
    }
}
