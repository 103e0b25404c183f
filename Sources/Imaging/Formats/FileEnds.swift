/// The first and the last bytes of a file, for a cheap look at whether all of it is there.
struct FileEnds {
    /// Reads bytes of the file from an offset on: fewer than `maxBytes` at its end.
    typealias Read = (_ offset: Int, _ maxBytes: Int) throws -> [UInt8]

    /// The number of bytes at either end that are looked at; no image has fewer.
    private static let endBytes = 12

    let byteCount: Int
    let head: [UInt8]
    let tail: [UInt8]

    /// Reads both ends; nil of a file that is too short for an image or cannot be read.
    init?(byteCount: Int, read: Read) {
        guard byteCount >= Self.endBytes, let head = try? read(0, Self.endBytes), head.count == Self.endBytes,
            let tail = try? read(byteCount - Self.endBytes, Self.endBytes), tail.count == Self.endBytes
        else { return nil }
        (self.byteCount, self.head, self.tail) = (byteCount, head, tail)
    }
}

extension ImageFormat {
    /// Whether a file ends where its own format says that it ends; the end of a copy that was broken off is missing.
    ///
    /// Looks at both ends of the file and judges nothing between them.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the file in bytes.
    ///   - read: Reads the file's bytes from an offset on, `maxBytes` of them or as many as there are.
    /// - Returns: False also for a file that is no image, and for one whose end cannot be told or read.
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
