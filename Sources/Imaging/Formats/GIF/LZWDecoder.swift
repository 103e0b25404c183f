/// Decodes the pixels of a GIF's frame (GIF89a, appendix F).
///
/// Every string of the dictionary is an earlier output string with the pixel after it, so an entry is only the position
/// of a string in the output and its length. Strings of a single pixel are stored before the output.
@safe
struct LZWDecoder: ~Copyable {
    /// The number of bytes before the first pixel: each possible pixel, once.
    static let rootCount = 256
    /// The number of readable bytes that must follow the stream: each read begins in the stream, and is eight bytes
    /// long.
    static let slackBytes = 8

    private static let maxCodeCount = 4096
    /// The number of bytes after the pixels: room for a whole string that begins before their end, in steps of sixteen.
    private static let roomBytes = maxCodeCount + 16

    /// The position where each code's string begins, above 16 bits with its length.
    ///
    /// The two codes without a string have 0; entries from `nextCode` on are undefined. There is one additional entry,
    /// for codes that follow when all codes have a string.
    private let strings: UnsafeMutablePointer<UInt64>
    private let rootBits: Int

    /// The way in which a stream ended.
    enum End {
        /// The stream contains all pixels, followed only by the end code.
        case whole
        /// The stream ended before all pixels were decoded.
        case outOfData
        /// The stream contains a code that no encoder writes, an early end code, or data after the pixels.
        case damaged
    }

    /// - Parameter rootBits: The number of bits of an index into the palette, 2 to 8. Some encoders write 1, or up to
    ///   11; of an index with more than 8 bits, the lowest 8 are used, as in browsers. Nil for any other number.
    init?(rootBits: Int) {
        guard (1...11).contains(rootBits) else { return nil }
        self.rootBits = rootBits
        unsafe strings = .allocate(capacity: LZWDecoder.maxCodeCount + 1)
        unsafe strings.initialize(repeating: 0, count: LZWDecoder.maxCodeCount + 1)
        for root in 0..<1 << rootBits { unsafe strings[root] = UInt64(root & 255) << 16 | 1 }
    }

    deinit { unsafe strings.deallocate() }

    /// Decodes a number of palette indices, after the roots; fewer if the stream ends or has an invalid code.
    ///
    /// - Parameter stream: The stream, followed by `slackBytes` bytes.
    func decode(_ stream: Span<UInt8>, count: Int) -> (pixels: [UInt8], end: End) {
        let end = LZWDecoder.rootCount + max(0, count)
        var reached = End.outOfData
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: end + LZWDecoder.roomBytes) { buffer, filled in
            guard let base = buffer.baseAddress else { return }
            filled = LZWDecoder.rootCount
            for root in 0..<LZWDecoder.rootCount { unsafe base[root] = UInt8(root) }
            unsafe stream.withUnsafeBufferPointer { stream in
                guard let bytes = stream.baseAddress, stream.count >= LZWDecoder.slackBytes else { return }
                (filled, reached) = unsafe decode(
                    bytes, byteCount: stream.count - LZWDecoder.slackBytes, to: base, from: LZWDecoder.rootCount,
                    upTo: end)
            }
        }
        return (pixels, reached)
    }

    /// Fills `output[start..<end]`, or less of it, up to the returned position; up to `roomBytes` more may be written.
    ///
    /// No other memory is touched. A string begins before `place`, since it was output before its code exists (`code <
    /// nextCode`), and is no longer than the number of codes, since each string is at most one pixel longer than
    /// another one. Strings are copied sixteen bytes at a time; surplus bytes are overwritten by the next string, or
    /// are after `end`. The stream is read at a byte inside it, and seven bytes further.
    @unsafe
    private func decode(
        _ bytes: UnsafePointer<UInt8>, byteCount: Int, to output: UnsafeMutablePointer<UInt8>, from start: Int,
        upTo end: Int
    ) -> (place: Int, End) {
        let (endCode, firstBits) = (1 &<< rootBits &+ 1, rootBits &+ 1)
        let bitCount = byteCount &* 8
        var (codeBits, mask, nextCode) = (firstBits, 1 &<< firstBits &- 1, endCode)
        var (place, last, bit) = (start, UInt64.max, 0)
        while place < end {
            guard bit &+ codeBits <= bitCount else { return (place, .outOfData) }
            let eight = unsafe UnsafeRawPointer(bytes + (bit &>> 3)).loadUnaligned(as: UInt64.self)
            let code = Int(truncatingIfNeeded: UInt64(littleEndian: eight) &>> UInt64(bit & 7)) & mask
            bit &+= codeBits
            // The new string is the last string and the next pixel, whichever that is. The first code has no last
            // string: it stores a 0 (`.max &+ 1`) for the end code, which has a 0 already.
            unsafe strings[nextCode] = last &+ 1
            if nextCode < LZWDecoder.maxCodeCount { nextCode &+= 1 }
            if nextCode > mask, mask < LZWDecoder.maxCodeCount &- 1 {
                codeBits &+= 1
                mask = mask &* 2 &+ 1
            }
            guard code < nextCode else { return (place, .damaged) }
            let string = unsafe strings[code]
            let (source, length) = (Int(truncatingIfNeeded: string &>> 16), Int(truncatingIfNeeded: string & 0xFFFF))
            if length == 0 {
                // The clear code or the end code.
                guard code == endCode &- 1 else { return (place, .damaged) }
                (codeBits, mask, nextCode, last) = (firstBits, 1 &<< firstBits &- 1, endCode, .max)
                continue
            }
            last = UInt64(truncatingIfNeeded: place &<< 16 | length)
            var copied = 0
            repeat {
                let (from, to) = unsafe (output + (source &+ copied), output + (place &+ copied))
                let sixteen = unsafe UnsafeRawPointer(from).loadUnaligned(as: SIMD16<UInt8>.self)
                unsafe UnsafeMutableRawPointer(to).storeBytes(of: sixteen, as: SIMD16<UInt8>.self)
                copied &+= 16
            } while copied < length
            place &+= length
            // Only the newest string extends into its own output: by one pixel, which equals its first one.
            if source &+ length &+ length > place { unsafe output[place &- 1] = unsafe output[source] }
        }
        let rest = unsafe UnsafeBufferPointer(start: bytes, count: byteCount)
        let isEnd = unsafe place == end && isEnd(rest, at: bit, codeBits: codeBits)
        return (end, isEnd || start == end ? .whole : .damaged)
    }

    /// Whether the rest of the stream, beginning at a bit, is what encoders write after the pixels: the end code,
    /// possibly after a clear code; zeros as padding; or nothing.
    @unsafe
    private func isEnd(_ bytes: UnsafeBufferPointer<UInt8>, at bit: Int, codeBits: Int) -> Bool {
        guard bit + codeBits <= bytes.count * 8 else { return true }
        let code = (0..<codeBits).reduce(0) { (code: Int, number: Int) -> Int in
            let place = bit + number
            return unsafe code | Int(bytes[place >> 3] >> UInt8(place & 7) & 1) << number
        }
        if code >> 1 == 1 << (rootBits - 1) { return true }  // clear, or end
        return unsafe code == 0 && bytes[((bit + codeBits + 7) >> 3)...].allSatisfy { $0 == 0 }
    }
}
