/// Decodes the pixels of a GIF's frame (GIF89a, appendix F).
///
/// Every string of the dictionary is a string that was put out before with the pixel that came after it, so an entry is
/// no more than where in the output it stands and how long it is. Strings of one pixel stand before the output.
@safe
struct LZWDecoder: ~Copyable {
    /// The number of bytes before the first pixel: each of the pixels that there are, once.
    static let rootCount = 256
    /// The number of bytes that must follow the stream: eight are looked at in one go, of which the first one is in it.
    static let slackBytes = 8

    private static let maxCodeCount = 4096
    /// The number of bytes behind the pixels: room for a whole string that begins before their end, in steps of
    /// sixteen.
    private static let roomBytes = maxCodeCount + 16

    /// The place where each code's string begins, above 16 bits that say how long it is.
    ///
    /// The two codes without a string have 0; what stands from `nextCode` on is of no meaning. There is one entry more,
    /// for what comes when all codes have a string.
    private let strings: UnsafeMutablePointer<UInt64>
    private let rootBits: Int

    /// The way in which a stream ended.
    enum End {
        /// All pixels came, and nothing but the code for the end.
        case whole
        /// The stream was over before all pixels were there.
        case outOfData
        /// There was a code that no encoder writes, the end code too early, or more behind the pixels.
        case damaged
    }

    /// - Parameter rootBits: The bits of an index into the palette, 2 to 8; some encoders say 1, or up to 11, and of an index
    ///   that has more than 8 these count, as browsers have it. Nil for what is beyond that.
    init?(rootBits: Int) {
        guard (1...11).contains(rootBits) else { return nil }
        self.rootBits = rootBits
        unsafe strings = .allocate(capacity: LZWDecoder.maxCodeCount + 1)
        unsafe strings.initialize(repeating: 0, count: LZWDecoder.maxCodeCount + 1)
        for root in 0..<1 << rootBits { unsafe strings[root] = UInt64(root & 255) << 16 | 1 }
    }

    deinit { unsafe strings.deallocate() }

    /// Decodes so many palette indices, behind the roots: fewer where the stream is over, or a code makes no sense.
    ///
    /// - Parameter stream: The stream, with `slackBytes` behind it.
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

    /// Fills `output[start..<end]`, or less of it, up to the place that is returned; up to `roomBytes` more may be
    /// written.
    ///
    /// Nothing else is touched. A string begins before `place`, since it was put out before its code is known (`code <
    /// nextCode`), and is no longer than there are codes, since each is one longer than another one at most. It is
    /// copied sixteen bytes at a time; what is too much of them, whatever it is, is written over by the next string, or
    /// lies behind `end`. The stream is read from a byte that is in it, and seven more.
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
            // The last string with the pixel that comes now, whichever it is. The first code has no last string: it
            // leaves a 0 (`.max &+ 1`) for the code that ends the stream, where there is one anyway.
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
                // The code that clears the dictionary, or the one that ends the stream.
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
            // Only the newest string goes on in what it puts out: with one pixel, which is its first one.
            if source &+ length &+ length > place { unsafe output[place &- 1] = unsafe output[source] }
        }
        let rest = unsafe UnsafeBufferPointer(start: bytes, count: byteCount)
        let isEnd = unsafe place == end && isEnd(rest, at: bit, codeBits: codeBits)
        return (end, isEnd || start == end ? .whole : .damaged)
    }

    /// Whether what is left of the stream, from a bit on, is what encoders write behind the pixels: the end code, perhaps
    /// behind one that clears the dictionary, zeros that fill something up, or nothing.
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
