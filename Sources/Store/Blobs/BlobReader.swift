public import Files

/// An open blob: its size, and its bytes from wherever they are.
public struct BlobReader: Sendable {
    /// The pieces of a part of a blob, one at a time; nil at the end. The next one is fetched when it is asked for, no sooner.
    public typealias Pieces = @Sendable () async throws(FileError) -> [UInt8]?

    private enum Source: Sendable {
        case file(FileReader)
        case stream(@Sendable (Range<Int>) async throws(FileError) -> Pieces)
    }

    private static let pieceBytes = 256 << 10

    /// The size in bytes.
    public let byteCount: Int
    private let source: Source

    /// A blob that is a file of this machine: it is read from its descriptor, by whoever likes. Blocks for a moment.
    public init(_ file: FileReader) throws(FileError) {
        byteCount = try file.byteCount()
        source = .file(file)
    }

    /// A blob elsewhere.
    ///
    /// - Parameter stream: Begins to fetch a part of the blob, which is not empty, and gives its bytes in pieces of whatever size.
    public init(byteCount: Int, stream: @escaping @Sendable (Range<Int>) async throws(FileError) -> Pieces) {
        self.byteCount = byteCount
        source = .stream(stream)
    }

    /// The file that the bytes are in; nil for a blob elsewhere.
    public var file: FileReader? { if case .file(let file) = source { file } else { nil } }

    /// The bytes of a part of the blob.
    ///
    /// - Throws: `FileError`, as do the pieces: `io` where there are fewer bytes than there should be.
    public func pieces(of range: Range<Int>) async throws(FileError) -> Pieces {
        let next = try await begin(range)
        let rest = PieceCount(range.count)
        return { () async throws(FileError) in
            guard rest.value > 0 else { return nil }
            guard let bytes = try await next(), !bytes.isEmpty else {
                throw FileError(.io, "a blob became shorter while it was read")
            }
            let taken = min(bytes.count, rest.value)
            rest.subtract(taken)
            return taken == bytes.count ? bytes : Array(bytes.prefix(taken))
        }
    }

    private func begin(_ range: Range<Int>) async throws(FileError) -> Pieces {
        switch source {
        case .stream(let stream):
            if range.isEmpty { return { () async throws(FileError) in nil } }
            return try await stream(range)
        case .file(let file):
            let read = PieceCount(0)
            return { () async throws(FileError) in
                let offset = range.lowerBound + read.value
                let count = min(Self.pieceBytes, range.upperBound - offset)
                let bytes = try await FileThreads.run { () throws(FileError) in
                    try file.read(at: offset, maxBytes: count)
                }
                read.subtract(-bytes.count)
                return bytes
            }
        }
    }

    /// Reads the whole blob, piece by piece.
    public func forEachPiece(_ take: ([UInt8]) async throws(FileError) -> Void) async throws(FileError) {
        let next = try await pieces(of: 0..<byteCount)
        while let bytes = try await next() { try await take(bytes) }
    }

    /// The blob as a file, for those that need a descriptor, such as a renderer in another process.
    ///
    /// A blob elsewhere is fetched into a file in memory. A store of large blobs does better to keep fetched ones in files of
    /// its own, and to give these (``init(_:)``).
    public func wholeFile() async throws(FileError) -> FileReader {
        if let file { return file }
        let scratch = try ScratchFile()
        try await forEachPiece { bytes throws(FileError) in try scratch.append(bytes) }
        return scratch.reader
    }
}
