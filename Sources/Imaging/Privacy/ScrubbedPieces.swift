/// A scrubbed file as ranges of the original file and the bytes that differ: enough to send it, or any part of it, from
/// where the original is stored, without holding it in memory.
public struct ScrubbedPieces: Sendable, Hashable {
    /// A run of bytes.
    public enum Piece: Sendable, Hashable {
        /// A range of the original file.
        case stored(Range<Int>)
        /// Bytes that differ from the original.
        case bytes([UInt8])
        /// A byte that is repeated.
        case repeated(UInt8, count: Int)

        /// The number of bytes in the piece.
        public var byteCount: Int {
            switch self {
            case .stored(let range): range.count
            case .bytes(let bytes): bytes.count
            case .repeated(_, let count): count
            }
        }

        /// A part of the piece, which must be inside it.
        fileprivate func part(_ range: Range<Int>) -> Piece {
            switch self {
            case .stored(let stored): .stored(stored.dropFirst(range.lowerBound).prefix(range.count))
            case .bytes(let bytes): .bytes(Array(bytes.dropFirst(range.lowerBound).prefix(range.count)))
            case .repeated(let byte, _): .repeated(byte, count: range.count)
            }
        }
    }

    /// The maximum number of bytes that are kept in addition to the original; EXIF with its thumbnail has at most 64
    /// KiB in a JPEG.
    private static let maxChangedBytes = 2 << 20
    /// The minimum length of a run of one byte that is a piece of its own.
    private static let minRepeated = 4096

    /// The pieces in order; none of them is empty.
    public private(set) var pieces: [Piece] = []
    /// The length of the scrubbed file, in bytes.
    public private(set) var byteCount = 0
    /// Whether the scrubbed file differs from the original.
    public private(set) var differs = true
    /// The number of bytes that are kept in addition to the original.
    private var changedByteCount = 0

    /// Creates an empty file, to which pieces are appended.
    init() {}

    /// Creates the description of an unchanged file of a length in bytes.
    public init(storedByteCount: Int) {
        append(.stored(0..<storedByteCount))
        differs = false
    }

    /// Whether the pieces are few enough to be kept.
    var isSmall: Bool { changedByteCount <= ScrubbedPieces.maxChangedBytes }

    /// The approximate memory of the pieces, in bytes.
    public var memoryByteCount: Int { changedByteCount + pieces.count * 64 }

    mutating func append(_ piece: Piece) {
        guard piece.byteCount > 0 else { return }
        pieces.append(piece)
        byteCount += piece.byteCount
        if case .bytes(let bytes) = piece { changedByteCount += bytes.count }
    }

    /// Appends bytes that differ; long runs of one byte, such as films that became zeros, use no memory.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        var (start, runStart) = (bytes.startIndex, bytes.startIndex)
        for index in bytes.indices where index == bytes.endIndex - 1 || bytes[index + 1] != bytes[index] {
            let run = runStart..<index + 1
            runStart = run.upperBound
            guard run.count >= ScrubbedPieces.minRepeated else { continue }
            append(.bytes(Array(bytes[start..<run.lowerBound])))
            append(.repeated(bytes[index], count: run.count))
            start = run.upperBound
        }
        append(.bytes(Array(bytes[start...])))
    }

    /// Returns the pieces of a range of the scrubbed file, in bytes.
    public func part(_ range: Range<Int>) -> [Piece] {
        var parts: [Piece] = []
        var start = 0
        for piece in pieces where start < range.upperBound {
            let wanted = range.clamped(to: start..<start + piece.byteCount)
            if !wanted.isEmpty { parts.append(piece.part(wanted.lowerBound - start..<wanted.upperBound - start)) }
            start += piece.byteCount
        }
        return parts
    }
}
