/// Decodes the pixels of a GIF's frame (GIF89a, appendix F).
///
/// Every string of the dictionary is a string that was put out before with the pixel that came after it, so an entry is no
/// more than where in the output it stands and how long it is. Strings of one pixel stand before the output.
@safe
struct LZWDecoder: ~Copyable {
    /// How many bytes come before the first pixel: all pixels that there are.
    static let rootCount = 256
    /// What must follow the stream and the pixels: eight bytes are looked at in one go, and taken up before they are used.
    static let slackBytes = 16

    private static let maxCodeCount = 4096
    private static let maxCodeBits = 12

    /// For each code where its string begins, above 16 bits that say how long it is; 0 for those without.
    private let strings: UnsafeMutablePointer<UInt64>
    private let rootBits: Int

    /// - Parameter rootBits: the bits of an index into the palette, 2 to 8; nil for what is beyond that.
    init?(rootBits: Int) {
        guard (2...8).contains(rootBits) else { return nil }
        self.rootBits = rootBits
        unsafe strings = .allocate(capacity: LZWDecoder.maxCodeCount)
        unsafe strings.initialize(repeating: 0, count: LZWDecoder.maxCodeCount)
        for root in 0..<1 << rootBits { unsafe strings[root] = UInt64(root) << 16 | 1 }
    }

    deinit { unsafe strings.deallocate() }

    /// Decodes so many palette indices, behind the roots; nil when the stream ends before that, or is damaged.
    ///
    /// - Parameter stream: with `slackBytes` behind it.
    func decode(_ stream: Span<UInt8>, count: Int) -> [UInt8]? {
        let end = LZWDecoder.rootCount + count
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: end + LZWDecoder.slackBytes) { buffer, filled in
            guard let base = buffer.baseAddress else { return }
            for root in 0..<LZWDecoder.rootCount { unsafe base[root] = UInt8(root) }
            let isWhole = unsafe stream.withUnsafeBufferPointer { stream in
                guard let bytes = stream.baseAddress, stream.count >= LZWDecoder.slackBytes else { return false }
                return unsafe decode(
                    bytes, byteCount: stream.count - LZWDecoder.slackBytes, to: base, from: LZWDecoder.rootCount,
                    upTo: end)
            }
            filled = isWhole ? end : 0
        }
        return pixels.isEmpty ? nil : pixels
    }

    /// Fills `output[start..<end]`; up to `slackBytes` more may be written.
    ///
    /// Nothing else is touched: `place < end` when a string of up to eight is copied in one go (what lies behind it is
    /// copied along, whatever it is, and written over by the next one), a longer one stops at `end`;
    /// it begins before `place`, since a code's string was put out before the code is known (`code < nextCode`), and the
    /// stream is read up to `slackBytes` behind `byteCount`.
    @unsafe
    private func decode(
        _ bytes: UnsafePointer<UInt8>, byteCount: Int, to output: UnsafeMutablePointer<UInt8>, from start: Int,
        upTo end: Int
    ) -> Bool {
        let (clearCode, endCode) = (1 << rootBits, 1 << rootBits + 1)
        var (codeBits, nextCode) = (rootBits + 1, endCode + 1)
        var (window, windowBits, position) = (UInt64(0), UInt64(0), 0)
        var (place, lastStart, lastLength) = (start, 0, 0)
        while place < end {
            // Up to 56 bits or more, in one go; see `BitReader.refill`.
            guard position <= byteCount &+ 8 else { return false }
            let next = unsafe UInt64(littleEndian: UnsafeRawPointer(bytes + position).loadUnaligned(as: UInt64.self))
            window |= next &<< windowBits
            position &+= Int(truncatingIfNeeded: (63 &- windowBits) &>> 3)
            windowBits |= 56
            let code = Int(truncatingIfNeeded: window) & (1 &<< codeBits &- 1)
            window &>>= UInt64(truncatingIfNeeded: codeBits)
            windowBits &-= UInt64(truncatingIfNeeded: codeBits)
            if code == clearCode {
                (codeBits, nextCode, lastLength) = (rootBits + 1, endCode + 1, 0)
                continue
            }
            // The last string with the pixel that comes now, whichever it is.
            if lastLength > 0, nextCode < LZWDecoder.maxCodeCount {
                unsafe strings[nextCode] = UInt64(truncatingIfNeeded: lastStart &<< 16 | (lastLength &+ 1))
                nextCode &+= 1
                if nextCode == 1 &<< codeBits, codeBits < LZWDecoder.maxCodeBits { codeBits &+= 1 }
            }
            guard code < nextCode, code != endCode else { return false }
            let string = unsafe strings[code]
            let (source, length) = (Int(truncatingIfNeeded: string &>> 16), Int(truncatingIfNeeded: string & 0xFFFF))
            lastStart = place
            lastLength = length
            if length <= 8, source &+ length <= place {
                let eight = unsafe UnsafeRawPointer(output + source).loadUnaligned(as: UInt64.self)
                unsafe UnsafeMutableRawPointer(output + place).storeBytes(of: eight, as: UInt64.self)
                place &+= length
            } else {
                // Forward, for a string may go on in what it puts out.
                for index in 0..<min(length, end &- place) {
                    unsafe output[place &+ index] = unsafe output[source &+ index]
                }
                place &+= length
            }
        }
        return position &* 8 &- Int(windowBits) <= byteCount &* 8
    }
}
