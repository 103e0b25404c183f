/// The first and the last bytes of a file, for a cheap check of whether the file is complete.
struct FileEnds {
    /// Reads at most `maxBytes` bytes of the file, beginning at an offset; fewer at its end.
    typealias Read = (_ offset: Int, _ maxBytes: Int) throws -> [UInt8]

    /// The number of bytes that are read at either end; no image has fewer.
    private static let endBytes = 12

    let byteCount: Int
    let head: [UInt8]
    let tail: [UInt8]

    /// Reads both ends; nil if the file is too short for an image or cannot be read.
    init?(byteCount: Int, read: Read) {
        guard byteCount >= Self.endBytes, let head = try? read(0, Self.endBytes), head.count == Self.endBytes,
            let tail = try? read(byteCount - Self.endBytes, Self.endBytes), tail.count == Self.endBytes
        else { return nil }
        (self.byteCount, self.head, self.tail) = (byteCount, head, tail)
    }
}

extension ImageFormat {
    /// Whether a file ends where its format requires it; the end of an interrupted copy is missing.
    ///
    /// The check reads both ends of the file and ignores the data between them.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the file in bytes.
    ///   - read: Reads at most `maxBytes` bytes of the file, beginning at an offset; fewer at its end.
    /// - Returns: Whether the file is complete; false also if the file is not an image, or if its end is unknown or
    ///   cannot be read.
    public static func isComplete(
        byteCount: Int, read: (_ offset: Int, _ maxBytes: Int) throws -> [UInt8]
    ) -> Bool {
        guard let file = FileEnds(byteCount: byteCount, read: read) else { return false }
        for format in allCases {
            if let hasTrailer = format.codec.hasTrailer(file, read: read) { return hasTrailer }
        }
        return false
    }
}
