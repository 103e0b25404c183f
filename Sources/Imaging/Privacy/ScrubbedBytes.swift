/// The bytes of a file while the place is removed from them.
///
/// A scrubber walks through the file from beginning to end. Offsets are always those of the original file: a cut moves
/// no bytes that have not been examined yet.
struct ScrubbedBytes {
    /// The original file with the overwritten parts; valid for offsets after the last cut.
    private(set) var bytes: [UInt8]
    private(set) var found: Set<LocationSource> = []
    /// The end of the bytes in their final position, and the beginning of those that have not been moved yet.
    private var (kept, pending) = (0, 0)
    private var edits = ScrubEdits()

    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    /// The number of bytes of the original file.
    var count: Int { bytes.count }

    /// Records that data of a kind is removed.
    mutating func note(_ source: LocationSource) { found.insert(source) }

    /// Overwrites a part of the file with one byte.
    mutating func fill(_ range: Range<Int>, with byte: UInt8 = 0) {
        let range = range.clamped(to: bytes.indices)
        edits.change(range)
        for index in range { bytes[index] = byte }
    }

    /// Overwrites a part of the file with one byte, and records the kind of the data unless all bytes are the same.
    mutating func fill(_ range: Range<Int>, with byte: UInt8 = 0, as source: LocationSource) {
        guard range.clamped(to: bytes.indices).contains(where: { bytes[$0] != byte }) else { return }
        note(source)
        fill(range, with: byte)
    }

    /// Overwrites a part of the file; bytes beyond the end of the file are dropped.
    mutating func write(_ new: some Sequence<UInt8>, at offset: Int) {
        var end = offset
        for (index, byte) in zip(offset..<max(offset, bytes.count), new) {
            bytes[index] = byte
            end = index + 1
        }
        edits.change(offset..<end)
    }

    /// Copies a part of the file.
    func copy(_ range: Range<Int>) -> [UInt8] { Array(bytes[range.clamped(to: bytes.indices)]) }

    /// Removes a part of the file, which must be after all parts that have been removed before.
    mutating func cut(_ range: Range<Int>, as source: LocationSource) {
        guard !range.isEmpty, range.lowerBound >= pending, range.upperBound <= bytes.count else { return }
        note(source)
        edits.cut(range)
        keep(upTo: range.lowerBound)
        pending = range.upperBound
    }

    /// The number of bytes that have been cut so far.
    var cutCount: Int { pending - kept }

    private mutating func keep(upTo end: Int) {
        if kept == pending {
            kept = end
        } else {
            for index in pending..<end {
                bytes[kept] = bytes[index]
                kept += 1
            }
        }
    }

    /// Moves the remaining bytes to their final position and returns the file.
    mutating func finish() -> [UInt8] {
        keep(upTo: bytes.count)
        bytes.removeLast(bytes.count - kept)
        pending = kept
        return bytes
    }

    /// Finishes the file and describes it by ranges of the original file; nil if it changed in too many places.
    mutating func finishedPieces() -> ScrubbedPieces? {
        let count = count
        guard !found.isEmpty else { return ScrubbedPieces(storedByteCount: count) }
        let scrubbed = finish()
        return edits.pieces(of: count, scrubbed: scrubbed)
    }
}
