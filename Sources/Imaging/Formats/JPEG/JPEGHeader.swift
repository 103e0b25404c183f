/// Reads a JPEG's marker segments up to the first scan (ITU-T T.81, annex B).
enum JPEGHeader {
    static func read(_ bytes: Span<UInt8>) throws(ImageError) -> ImageHeader {
        var orientation: Orientation?
        var size: PixelSize?
        var offset = 2  // after the start-of-image marker
        while true {
            let (marker, payload) = try nextSegment(bytes, &offset)
            let segment = bytes.extracting(payload)
            if marker == 0xDA {
                guard let size else { throw .corrupt(.jpeg, "a scan before the frame header") }
                if size.height == 0 { try checkHeight(bytes, behind: offset) }
                return ImageHeader(
                    format: .jpeg, storedSize: size, orientation: orientation ?? .up, hasAlpha: false, frameCount: 1)
            } else if isFrame(marker) {
                size = try readFrame(marker, segment)
            } else if marker == 0xE1, orientation == nil, segment.starts(with: "Exif\0\0") {
                orientation = EXIF.orientation(segment.extracting(6...))
            }
        }
    }

    /// Throws an error that names the kind for an image that specifies its height after the first scan (DNL; T.81,
    /// B.2.5), as scanners with paper feeds did.
    private static func checkHeight(_ bytes: Span<UInt8>, behind offset: Int) throws(ImageError) {
        var offset = offset
        guard JPEGScans.nextMarker(bytes, &offset) == 0xDC else { return }
        throw .unsupported(
            "JPEG that specifies its height after its pixels (DNL)",
            hint: "Save the picture again in another program, and send that.")
    }

    /// Moves past the next segment, and the standalone markers before it.
    ///
    /// - Returns: The segment's marker and the range of its payload, without the two bytes of the length.
    static func nextSegment(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(ImageError) -> (marker: UInt8, payload: Range<Int>) {
        var marker: UInt8
        repeat { marker = try nextMarker(bytes, &offset) } while marker == 0x01 || (0xD0...0xD7).contains(marker)
        guard marker != 0xD8, marker != 0xD9 else {
            throw .corrupt(.jpeg, "no picture between its start and its end")
        }
        return (marker, try payload(bytes, &offset))
    }

    /// Moves past the next marker; any data before it is skipped, as libjpeg does.
    private static func nextMarker(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ImageError) -> UInt8 {
        while let byte = bytes.byte(at: offset) {
            offset += 1
            guard byte == 0xFF, let code = bytes.byte(at: offset) else { continue }
            if code != 0x00 && code != 0xFF {
                offset += 1
                return code
            }
        }
        throw .truncated(.jpeg)
    }

    /// Moves past the data of a marker: a length of two bytes, and the payload.
    private static func payload(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ImageError) -> Range<Int> {
        guard let length = bytes.uint16(at: offset), offset + length <= bytes.count else { throw .truncated(.jpeg) }
        guard length >= 2 else { throw .corrupt(.jpeg, "a segment of \(length) bytes") }
        let start = offset + 2
        offset += length
        return start..<offset
    }

    /// Whether a marker is one of SOF0 to SOF15; DHT, JPG and DAC are among their numbers and are excluded.
    private static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    private static func readFrame(_ marker: UInt8, _ segment: Span<UInt8>) throws(ImageError) -> PixelSize {
        guard let precision = segment.byte(at: 0), let height = segment.uint16(at: 1), let width = segment.uint16(at: 3)
        else { throw .corrupt(.jpeg, "a short frame header") }
        switch marker {
        case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
        case 0xC3, 0xCB: throw .unsupported("lossless JPEG")
        default: throw .unsupported("hierarchical JPEG")
        }
        guard precision == 8 else { throw .unsupported("JPEG with \(precision) bits a sample") }
        return PixelSize(width: width, height: height)
    }
}
