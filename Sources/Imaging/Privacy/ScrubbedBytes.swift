/// The bytes of a file while the place is taken out of them.
///
/// Whoever scrubs goes through the file from its beginning to its end. Offsets are always those of the file as it was:
/// what is cut moves nothing that is still to be looked at.
struct ScrubbedBytes {
    /// The file as it was, but for what was overwritten; good for offsets behind the last cut.
    private(set) var bytes: [UInt8]
    private(set) var found: Set<LocationSource> = []
    /// The end of what is in its final place, and the beginning of what is not.
    private var (kept, pending) = (0, 0)
    private var edits = ScrubEdits()

    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    /// The number of bytes that the file had.
    var count: Int { bytes.count }

    /// Notes that data of a kind is being removed.
    mutating func note(_ source: LocationSource) { found.insert(source) }

    /// Puts one byte over a part of the file.
    mutating func fill(_ range: Range<Int>, with byte: UInt8 = 0) {
        let range = range.clamped(to: bytes.indices)
        edits.change(range)
        for index in range { bytes[index] = byte }
    }

    /// Puts one byte over a part of the file, and notes why unless it was there already.
    mutating func fill(_ range: Range<Int>, with byte: UInt8 = 0, as source: LocationSource) {
        guard range.clamped(to: bytes.indices).contains(where: { bytes[$0] != byte }) else { return }
        note(source)
        fill(range, with: byte)
    }

    /// Puts other bytes over a part of the file; what would reach beyond its end is dropped.
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

    /// Takes out a part of the file, which lies behind all that were taken out before.
    mutating func cut(_ range: Range<Int>, as source: LocationSource) {
        guard !range.isEmpty, range.lowerBound >= pending, range.upperBound <= bytes.count else { return }
        note(source)
        edits.cut(range)
        keep(upTo: range.lowerBound)
        pending = range.upperBound
    }

    /// The number of bytes that are cut by now.
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

    /// Moves the rest to its place and returns the file.
    mutating func finish() -> [UInt8] {
        keep(upTo: bytes.count)
        bytes.removeLast(bytes.count - kept)
        pending = kept
        return bytes
    }

    /// Finishes the file, and describes it by the file as it was; nil when it was changed in too many places for that.
    mutating func finishedPieces() -> ScrubbedPieces? {
        let count = count
        guard !found.isEmpty else { return ScrubbedPieces(storedByteCount: count) }
        let scrubbed = finish()
        return edits.pieces(of: count, scrubbed: scrubbed)
    }
}
