#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A sliding window of constant size over the unstuffed entropy-coded segments of a scan (T.81, B.1.1.5, F.1.2.3).
///
/// Decoding a block never checks whether bytes are left: before each block, `prepare` makes sure that the window
/// contains the maximum that a block can read. After the end of a segment these are zeros; a reader that consumed them
/// is detected before the next block.
@safe
struct EntropyWindow: ~Copyable {
    /// The padding after the end: the maximum that a block consumes (64 words of 31 bits); plus, twice, since a reader
    /// may begin 8 bytes after the end, the 8 bytes that it loads ahead and the 8 bytes that it reads without loading
    /// them.
    static let slackBytes = 64 * 31 / 8 + 32
    private static let capacity = 32_768

    private let storage: UnsafeMutablePointer<UInt8>
    private var end = 0
    /// The last position of a reader at which a block can be decoded without calling `prepare`.
    private(set) var limit = -1
    /// The offset in the file of the first byte that is not in the window yet.
    private(set) var sourceOffset: Int
    /// The marker that ended the current segment, once it has been found.
    private(set) var marker: UInt8?

    init(scanOffset: Int) {
        unsafe storage = .allocate(capacity: EntropyWindow.capacity + EntropyWindow.slackBytes)
        unsafe storage.initialize(repeating: 0, count: EntropyWindow.capacity + EntropyWindow.slackBytes)
        sourceOffset = scanOffset
    }

    deinit { unsafe storage.deallocate() }

    /// Creates a reader at the start of the window, which must be passed to `prepare` before it reads.
    @unsafe
    func reader() -> BitReader { unsafe BitReader(storage) }

    /// Makes sure that the reader can decode a block; returns false if the segment has ended.
    ///
    /// This fills the window; the caller must call it whenever the reader's position is beyond `limit`.
    mutating func prepare(_ reader: inout BitReader, from bytes: Span<UInt8>) -> Bool {
        if marker == nil {
            unsafe slide(&reader)
            guard fill(from: bytes) else { return false }
            limit = marker == nil ? end - EntropyWindow.slackBytes : end
        }
        return unsafe reader.consumedBitCount <= end * 8
    }

    /// Whether the reader is at the end of a segment that a marker follows, with only padding left: the rest of a byte,
    /// and zeros, with which some encoders fill up their words.
    mutating func isAtEnd(_ reader: inout BitReader, from bytes: Span<UInt8>) -> Bool {
        guard unsafe prepare(&reader, from: bytes), marker != nil else { return false }
        guard unsafe reader.areWholeBytesZero else { return false }
        // The window's bytes are those below `end`; the reader may be after them.
        return unsafe (min(reader.position, end)..<end).allSatisfy { unsafe storage[$0] == 0 }
    }

    /// Begins the next segment, after a restart marker.
    mutating func restart() {
        marker = nil
        end = 0
        limit = -1
    }

    /// Moves the bytes that the reader has not loaded to the front.
    private mutating func slide(_ reader: inout BitReader) {
        let start = unsafe min(reader.position, end)
        // Both ranges are inside: start <= end <= capacity.
        unsafe memmove(storage, storage + start, end - start)
        end -= start
        unsafe reader.position -= start
    }

    /// Unstuffs bytes until the window is full or a marker is found; returns false if the bytes end without a marker.
    private mutating func fill(from bytes: Span<UInt8>) -> Bool {
        while end < EntropyWindow.capacity {
            appendRun(from: bytes)
            guard end < EntropyWindow.capacity else { break }
            // The run ended at 0xFF or at the end of the bytes. Any number of 0xFF may precede a marker (B.1.1.2).
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
        // `capacity + slackBytes` bytes are allocated, and end <= capacity.
        unsafe (storage + end).update(repeating: 0, count: EntropyWindow.slackBytes)
        return true
    }

    /// Copies bytes up to the next 0xFF, the end of the bytes, or the capacity.
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
