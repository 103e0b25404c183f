/// Reads bits from unstuffed entropy-coded bytes (T.81, F.2.2.5).
///
/// A value of two words and a pointer, which the decoder's loops can keep in registers.
@unsafe
struct BitReader {
    /// The start of the bytes; `EntropyWindow` owns them and limits how far a block may read.
    var bytes: UnsafePointer<UInt8>
    /// The position of the next byte to be loaded into the window.
    var position = 0
    /// The next bits, from the top.
    ///
    /// The bits below the valid ones may already contain bits of the next byte.
    private(set) var window: UInt64 = 0
    /// The number of valid bits in `window`.
    private(set) var bitCount: UInt64 = 0

    init(_ bytes: UnsafePointer<UInt8>) { unsafe self.bytes = unsafe bytes }

    /// The number of bits that have been consumed since the start of `bytes`.
    var consumedBitCount: Int { unsafe position * 8 - Int(bitCount) }

    /// Whether the whole bytes in the window, none of whose bits have been consumed, are all zero.
    var areWholeBytesZero: Bool {
        let byteBits = unsafe bitCount & ~7
        return unsafe byteBits == 0 || (window &<< (bitCount & 7)) >> (64 - byteBits) == 0
    }

    /// Fills the window to at least 56 bits (F. Giesen, "Reading bits in far too many ways", 2018, variant 4).
    @inline(__always)
    mutating func refill() {
        // Eight bytes at `position` are readable: see `EntropyWindow.slackBytes`.
        let next = unsafe UInt64(bigEndian: UnsafeRawPointer(bytes + position).loadUnaligned(as: UInt64.self))
        unsafe window |= next &>> bitCount
        unsafe position &+= Int(truncatingIfNeeded: (63 &- bitCount) &>> 3)
        unsafe bitCount |= 56
    }

    /// Consumes bits; no more than are valid.
    @inline(__always)
    mutating func consume(_ count: Int) {
        unsafe window = window &<< UInt64(truncatingIfNeeded: count)
        unsafe bitCount = bitCount &- UInt64(truncatingIfNeeded: count)
    }

    /// Returns the next bits as a number without consuming them; `count` is 1 to 16.
    @inline(__always)
    func peek(_ count: Int) -> Int {
        unsafe Int(truncatingIfNeeded: window &>> UInt64(truncatingIfNeeded: 64 &- count))
    }
}
