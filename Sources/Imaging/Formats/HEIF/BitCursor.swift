/// Reads bits, the highest first, as in the parameter sets of video codecs; zeros after the end.
struct BitCursor {
    private let bytes: [UInt8]
    private var position = 0

    /// Creates a cursor at the first bit; the bytes are copied, so there should be some hundred at most.
    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Whether more bits have been read than there are.
    var isBehindEnd: Bool { position > bytes.count * 8 }

    /// Reads the next bits, at most 32.
    mutating func next(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let byte = position / 8 < bytes.count ? bytes[position / 8] : 0
            value = value << 1 | Int(byte >> (7 - position % 8) & 1)
            position += 1
        }
        return value
    }

    mutating func nextFlag() -> Bool { next(1) == 1 }

    mutating func skip(_ count: Int) { position += count }

    /// Reads a number in the Exp-Golomb code (ITU-T H.265, 9.2); also AV1's `uvlc` (4.10.3).
    mutating func nextExponential() -> Int {
        var zeros = 0
        while zeros < 32, !isBehindEnd, next(1) == 0 { zeros += 1 }
        return zeros < 32 ? (1 << zeros) - 1 + next(zeros) : Int(UInt32.max)
    }
}
