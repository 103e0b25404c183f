/// The transfer of a camera's EXIF from one JPEG to another JPEG of the same pixels, in which they are upright.
package enum CarriedEXIF {
    /// Copies the EXIF of one JPEG into another one and sets its orientation to upright; all other tags stay the same,
    /// including the place. The second JPEG is returned unchanged if the first has no EXIF or cannot be parsed.
    ///
    /// Colour profiles and XMP are not copied: the pixels may have other colours by now, and the meaning of XMP's texts
    /// is unknown.
    package static func carry(from original: [UInt8], to upright: [UInt8]) -> [UInt8] {
        guard var exif = segment(of: original), let place = placeForEXIF(in: upright) else { return upright }
        setUpright(&exif)
        return Array(upright[..<place]) + exif + Array(upright[place...])
    }

    /// The first segment with EXIF, including its marker.
    private static func segment(of bytes: [UInt8]) -> [UInt8]? {
        let span = bytes.span
        guard var segments = JPEGSegments(span, in: 0..<bytes.count) else { return nil }
        while let segment = try? segments.next(span), segment.marker != 0xDA {
            let head = segment.payload.prefix(6)
            if segment.marker == 0xE1, head.count == 6, head.map({ bytes[$0] }) == [0x45, 0x78, 0x69, 0x66, 0, 0] {
                return Array(bytes[segment.whole])
            }
        }
        return nil
    }

    /// The offset for an EXIF segment: after the start marker and a JFIF segment, if there is one.
    private static func placeForEXIF(in bytes: [UInt8]) -> Int? {
        let span = bytes.span
        guard var segments = JPEGSegments(span, in: 0..<bytes.count), let first = try? segments.next(span) else {
            return nil
        }
        return first.marker == 0xE0 ? first.whole.upperBound : first.whole.lowerBound
    }

    /// Sets any other orientation to 1 (TIFF 6.0, section 2).
    private static func setUpright(_ segment: inout [UInt8]) {
        // The marker, the length and the name of the content precede the TIFF structure.
        let start = 10
        guard segment.count > start + 8 else { return }
        let isLittleEndian = segment[start] == UInt8(ascii: "I")
        func number(at offset: Int, bytes count: Int) -> Int? {
            guard offset >= 0, start + offset + count <= segment.count else { return nil }
            let bytes = segment[start + offset..<start + offset + count]
            return (isLittleEndian ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let tag = number(at: entry, bytes: 2), let type = number(at: entry + 2, bytes: 2),
                number(at: entry + 8, bytes: 4) != nil
            else { return }
            guard tag == 0x0112, type == 3 || type == 4 else { continue }
            let size = type == 3 ? 2 : 4
            let value = start + entry + 8
            for place in value..<value + 4 { segment[place] = 0 }
            segment[isLittleEndian ? value : value + size - 1] = 1
            return
        }
    }
}
