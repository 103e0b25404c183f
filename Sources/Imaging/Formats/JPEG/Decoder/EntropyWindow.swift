#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A sliding window on the entropy-coded segments of a scan, unstuffed (T.81, B.1.1.5, F.1.2.3), of constant size.
///
/// Decoding a block never checks whether there are bytes: before each one, `prepare` sees to it that all of what one
/// block can take up at most lies in the window. At the end of a segment that is zeros; a reader that went into them is
/// found out before the next block.
@safe
struct EntropyWindow: ~Copyable {
    /// The room behind the end: what a block may consume (64 words of 31 bits), and what a reader takes up ahead of
    /// that (8 bytes), and reads without taking it up (8), twice over, since it may begin 8 bytes behind the end.
    static let slackBytes = 64 * 31 / 8 + 32
    private static let capacity = 32_768

    private let storage: UnsafeMutablePointer<UInt8>
    private var end = 0
    /// The last position of a reader from which a block is decoded without a look at what is there.
    private(set) var limit = -1
    /// The place in the file of the first byte that is not in the window yet.
    private(set) var sourceOffset: Int
    /// The marker that ended the current segment, once it was seen.
    private(set) var marker: UInt8?

    init(scanOffset: Int) {
        unsafe storage = .allocate(capacity: EntropyWindow.capacity + EntropyWindow.slackBytes)
        unsafe storage.initialize(repeating: 0, count: EntropyWindow.capacity + EntropyWindow.slackBytes)
        sourceOffset = scanOffset
    }

    deinit { unsafe storage.deallocate() }

    /// A reader at the start of the window, to be given to `prepare` before it reads.
    @unsafe
    func reader() -> BitReader { unsafe BitReader(storage) }

    /// Makes sure that the reader can decode a block; false when the segment is over.
    ///
    /// Fills the window; the caller does so whenever the reader's position is beyond `limit`.
    mutating func prepare(_ reader: inout BitReader, from bytes: Span<UInt8>) -> Bool {
        if marker == nil {
            unsafe slide(&reader)
            guard fill(from: bytes) else { return false }
            limit = marker == nil ? end - EntropyWindow.slackBytes : end
        }
        return unsafe reader.consumedBitCount <= end * 8
    }

    /// Whether the reader stands at the end of a segment that a marker follows, with nothing but padding left: the rest
    /// of a byte, and zeros, with which some encoders fill up their words.
    mutating func isAtEnd(_ reader: inout BitReader, from bytes: Span<UInt8>) -> Bool {
        guard unsafe prepare(&reader, from: bytes), marker != nil else { return false }
        guard unsafe reader.areWholeBytesZero else { return false }
        // Below `end` are the window's bytes; the reader may be behind them.
        return unsafe (min(reader.position, end)..<end).allSatisfy { unsafe storage[$0] == 0 }
    }

    /// Begins the next segment, behind a restart marker.
    mutating func restart() {
        marker = nil
        end = 0
        limit = -1
    }

    /// Moves what the reader has not taken up to the front.
    private mutating func slide(_ reader: inout BitReader) {
        let start = unsafe min(reader.position, end)
        // Both ranges are inside: start <= end <= capacity.
        unsafe memmove(storage, storage + start, end - start)
        end -= start
        unsafe reader.position -= start
    }

    /// Unstuffs until the window is full or a marker is met; false when the bytes end before a marker does.
    private mutating func fill(from bytes: Span<UInt8>) -> Bool {
        while end < EntropyWindow.capacity {
            appendRun(from: bytes)
            guard end < EntropyWindow.capacity else { break }
            // The run ended at 0xFF, or with the bytes. Any number of 0xFF may stand before a marker (B.1.1.2).
            var offset = sourceOffset
            while bytes.byte(at: offset) == 0xFF { offset += 1 }
            guard offset > sourceOffset, let code = bytes.byte(at: offset) else { return false }
            sourceOffset = offset + 1
            if code != 0 {
                marker = code
                break
            }
            unsafe storage[end] = 0xFF  // end < capacity
            end += 1
        }
        // Capacity and slack are what was allocated, and end <= capacity.
        unsafe (storage + end).update(repeating: 0, count: EntropyWindow.slackBytes)
        return true
    }

    /// Copies bytes up to the next 0xFF, or as many as there are, or as fit.
    private mutating func appendRun(from bytes: Span<UInt8>) {
        let count = min(EntropyWindow.capacity - end, bytes.count - sourceOffset)
        guard count > 0 else { return }
        let run = bytes.extracting(sourceOffset..<sourceOffset + count)
        // `run` has `count` bytes, and the window has room for them.
        let copied = unsafe run.withUnsafeBytes { run in
            let start = unsafe run.baseAddress.unsafelyUnwrapped
            let stop = unsafe memchr(start, 0xFF, count).map { unsafe UnsafeRawPointer($0) - start } ?? count
            unsafe memcpy(storage + end, start, stop)
            return stop
        }
        end += copied
        sourceOffset += copied
    }
}
