/// The thumbnail in EXIF, a JPEG (EXIF 3.0, 4.5.8), without its own metadata.
struct EXIFThumbnail {
    var (offset, byteCount) = (0, 0)
    private(set) var found: Set<LocationSource> = []
    private var bytes: [UInt8] = []

    var range: Range<Int> { offset..<offset + byteCount }

    /// Reads and scrubs the thumbnail; returns false if there is none.
    mutating func read(_ tiff: [UInt8]) -> Bool {
        guard offset >= 8, byteCount > 4, byteCount <= tiff.count - offset else { return false }
        var thumbnail = ScrubbedBytes(Array(tiff[range]))
        guard (try? JPEGScrubber.scrubThumbnail(&thumbnail)) != nil else { return false }
        found = thumbnail.found
        bytes = thumbnail.finish()
        return bytes.count == byteCount
    }

    /// Writes the thumbnail to its original position.
    func write(to tiff: inout [UInt8]) {
        for (index, byte) in bytes.enumerated() { tiff[offset + index] = byte }
    }
}
