/// A builder of PNGs that are small as files, whatever they unpack to (W3C PNG, third edition; RFC 1950, RFC 1951).
struct PNGBuilder {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    enum ColorType: UInt8 {
        case grey = 0
        case rgb = 2
        case palette = 3
        case rgba = 6

        var channels: Int { [0: 1, 2: 3, 3: 1, 6: 4][Int(rawValue)] ?? 1 }
    }

    init(_ width: Int, _ height: Int, depth: UInt8 = 8, _ type: ColorType = .rgb, isInterlaced: Bool = false) {
        add("IHDR", bigEndian(width) + bigEndian(height) + [depth, type.rawValue, 0, 0, isInterlaced ? 1 : 0])
    }

    mutating func add(_ type: String, _ payload: [UInt8], count: Int = 1) {
        var checksum = CRC32()
        checksum.add(type.utf8)
        checksum.add(payload)
        let chunk = bigEndian(payload.count) + Array(type.utf8) + payload + bigEndian(Int(checksum.value))
        bytes.reserveCapacity(bytes.count + count * chunk.count)
        for _ in 0..<count { bytes += chunk }
    }

    /// Adds pixels, all black or transparent, and the end chunk.
    mutating func end(pixelBytes: Int) {
        add("IDAT", PNGBuilder.zeros(pixelBytes))
        add("IEND", [])
    }

    /// Returns a file of an image with 8 bits a sample.
    static func black(_ width: Int, _ height: Int, _ type: ColorType, isInterlaced: Bool = false) -> [UInt8] {
        var png = PNGBuilder(width, height, type, isInterlaced: isInterlaced)
        // Each row has a filter byte before it; in an interlaced image, each row of each pass has one.
        let rows = isInterlaced ? PNGBuilder.passRows(width, height) : height
        png.end(pixelBytes: width * height * type.channels + rows)
        return png.bytes
    }

    private init(_ width: Int, _ height: Int, _ type: ColorType, isInterlaced: Bool) {
        self.init(width, height, depth: 8, type, isInterlaced: isInterlaced)
    }

    /// Returns the total number of rows in Adam7's seven passes, for an image of at least 8 × 8 pixels.
    private static func passRows(_ width: Int, _ height: Int) -> Int {
        [(0, 8), (0, 8), (4, 8), (0, 4), (2, 4), (0, 2), (1, 2)].reduce(0) { rows, pass in
            rows + (height - pass.0 + pass.1 - 1) / pass.1
        }
    }

    /// Returns zlib data that unpack to at least this many zeros, and are a thousandth and a half as long.
    ///
    /// They are a literal zero, and runs of 258 after it. In the fixed codes, each run has a length of 8 bits,
    /// 11000101, and a distance of 5 bits, 00000; eight runs are 13 bytes.
    static func zeros(_ count: Int) -> [UInt8] {
        let groups = (count + 2062) / 2064
        var bits = BitWriter([0x78, 0x9C])
        bits.add([1, 1, 0])  // the last block, fixed codes
        bits.add([0, 0, 1, 1, 0, 0, 0, 0])  // zero
        var group = BitWriter([])
        for _ in 0..<8 { group.add([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
        bits.add(group.bytes, count: groups)
        bits.add([0, 0, 0, 0, 0, 0, 0])  // the end
        return bits.bytes + bigEndian((1 + groups * 2064) % 65_521 << 16 | 1)
    }
}

/// Returns the four bytes of a number, the highest first.
func bigEndian(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

/// A writer of bits, the lowest of a byte first.
private struct BitWriter {
    private(set) var bytes: [UInt8]
    private var freeBits = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func add(_ bits: [UInt8]) {
        for bit in bits {
            if freeBits == 0 {
                bytes.append(0)
                freeBits = 8
            }
            bytes[bytes.count - 1] |= bit << (8 - UInt8(freeBits))
            freeBits -= 1
        }
    }

    /// Adds whole bytes, many times over.
    mutating func add(_ group: [UInt8], count: Int) {
        guard freeBits > 0, let last = bytes.popLast() else { return }
        let shift = UInt8(8 - freeBits)
        var shifted = [UInt8](repeating: 0, count: group.count)
        // The group's lowest bits follow the preceding bits, which are the group's highest ones except for the first
        // time.
        for index in group.indices {
            shifted[index] = group[index] << shift | (group[(index + group.count - 1) % group.count] >> (8 - shift))
        }
        let first = last | group[0] << shift
        for repetition in 0..<count {
            bytes += shifted
            if repetition == 0 { bytes[bytes.count - group.count] = first }
        }
        bytes.append(group[group.count - 1] >> (8 - shift))
    }
}

/// The checksum of PNG (annex D).
private struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { (value: UInt32, _: Int) -> UInt32 in
            value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
        }
    }

    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = CRC32.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
    }
}
