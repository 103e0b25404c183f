/// Counts a JPEG's scans without decoding them, so that a file with far too many costs nothing.
enum JPEGScans {
    /// Throws `too_many_scans` if there are more scans than the limits allow for an image of a size.
    ///
    /// There are segments between scans; inside a scan, only stuffed zeros and restart markers follow an 0xFF (T.81,
    /// B.1.1.5). Damage is left for the decoder to report.
    static func check(_ bytes: Span<UInt8>, size: PixelSize, limits: ImageLimits) throws(ImageError) {
        var (count, offset) = (0, 2)  // after the start-of-image marker
        let mostScans = limits.scanCount(for: size)
        while let marker = nextMarker(bytes, &offset), marker != 0xD9, marker != 0xD8 {
            if marker == 0xDA { count += 1 }
            guard count <= mostScans else { throw .tooManyScans(of: size, limits: limits) }
            guard let length = bytes.uint16(at: offset) else { return }
            offset += length
        }
    }

    /// Moves past the next marker that is followed by a segment, or that begins or ends an image.
    static func nextMarker(_ bytes: Span<UInt8>, _ offset: inout Int) -> UInt8? {
        while let prefix = bytes.firstIndex(of: 0xFF, from: offset) {
            offset = prefix + 1
            guard let code = bytes.byte(at: offset) else { return nil }
            switch code {
            case 0x00, 0x01, 0xFF, 0xD0...0xD7: continue
            default:
                offset += 1
                return code
            }
        }
        return nil
    }
}
