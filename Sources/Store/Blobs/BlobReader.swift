public import Files

/// An open blob: its size, and access to its bytes, in a local file or elsewhere.
public struct BlobReader: Sendable {
    /// A function that returns the pieces of a part of a blob, one per call; nil at the end. The next piece is fetched
    /// only when it is requested.
    public typealias Pieces = @Sendable () async throws(FileError) -> [UInt8]?

    private enum Source: Sendable {
        case file(FileReader)
        case stream(@Sendable (Range<Int>) async throws(FileError) -> Pieces)
    }

    private static let pieceBytes = 256 << 10

    /// The size in bytes.
    public let byteCount: Int
    private let source: Source

    /// Creates a reader of a blob in a local file, which is read through its descriptor, from any thread. Blocks
    /// briefly.
    public init(_ file: FileReader) throws(FileError) {
        byteCount = try file.byteCount()
        source = .file(file)
    }

    /// Creates a reader of a blob elsewhere.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the blob in bytes.
    ///   - stream: Starts to fetch a part of the blob, which is not empty; the pieces may have any size.
    public init(byteCount: Int, stream: @escaping @Sendable (Range<Int>) async throws(FileError) -> Pieces) {
        self.byteCount = byteCount
        source = .stream(stream)
    }

    /// The file that contains the bytes; nil for a blob elsewhere.
    public var file: FileReader? { if case .file(let file) = source { file } else { nil } }

    /// Returns the bytes of a part of the blob.
    ///
    /// - Throws: `FileError`, as do the pieces: `io` if there are fewer bytes than expected.
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

    /// Returns the blob as a file, for code that needs a descriptor, such as a renderer in another process.
    ///
    /// A blob elsewhere is fetched into a file in memory. A store of large blobs should keep fetched blobs in files of
    /// its own, and return readers of these (``init(_:)``).
    public func wholeFile() async throws(FileError) -> FileReader {
        if let file { return file }
        let scratch = try ScratchFile()
        try await forEachPiece { bytes throws(FileError) in try scratch.append(bytes) }
        return scratch.reader
    }
}
