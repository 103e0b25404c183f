/// A file without its place, as parts of the file as it was and the bytes that differ: enough to send it, or any part of
/// it, from where the file is stored, without holding it in memory.
public struct ScrubbedPieces: Sendable, Hashable {
    /// A run of bytes.
    public enum Piece: Sendable, Hashable {
        /// Bytes of the file as it was.
        case stored(Range<Int>)
        /// Bytes that differ from it.
        case bytes([UInt8])
        /// One byte, many times.
        case repeated(UInt8, count: Int)

        /// How many bytes there are.
        public var byteCount: Int {
            switch self {
            case .stored(let range): range.count
            case .bytes(let bytes): bytes.count
            case .repeated(_, let count): count
            }
        }

        /// A part of the piece, which lies in it.
        fileprivate func part(_ range: Range<Int>) -> Piece {
            switch self {
            case .stored(let stored): .stored(stored.dropFirst(range.lowerBound).prefix(range.count))
            case .bytes(let bytes): .bytes(Array(bytes.dropFirst(range.lowerBound).prefix(range.count)))
            case .repeated(let byte, _): .repeated(byte, count: range.count)
            }
        }
    }

    /// The most bytes that are kept beside the file as it was: EXIF with its thumbnail has 64 KiB at most in a JPEG.
    private static let maxChangedBytes = 2 << 20
    /// The shortest run of one byte that is a piece of its own.
    private static let minRepeated = 4096

    /// The pieces in order; none of them is empty.
    public private(set) var pieces: [Piece] = []
    /// The length of the file without its place, in bytes.
    public private(set) var byteCount = 0
    /// Whether the file is another one without its place.
    public private(set) var differs = true
    /// How many bytes are kept beside the file as it was.
    private var changedByteCount = 0

    /// Nothing, to which pieces are added.
    init() {}

    /// A file that stays as it is.
    public init(storedByteCount: Int) {
        append(.stored(0..<storedByteCount))
        differs = false
    }

    /// Whether the pieces are few enough to be kept.
    var isSmall: Bool { changedByteCount <= ScrubbedPieces.maxChangedBytes }

    /// The memory that the pieces take, in bytes, about.
    public var memoryByteCount: Int { changedByteCount + pieces.count * 64 }

    mutating func append(_ piece: Piece) {
        guard piece.byteCount > 0 else { return }
        pieces.append(piece)
        byteCount += piece.byteCount
        if case .bytes(let bytes) = piece { changedByteCount += bytes.count }
    }

    /// Adds bytes that differ; long runs of one byte, such as films that became zeros, take no memory.
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

    /// The pieces of a part of the file without its place.
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
