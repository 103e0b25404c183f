/// What a camera wrote beside the pixels of a JPEG, for another JPEG of the same pixels, in which they are upright.
package enum CarriedEXIF {
    /// Puts the EXIF of one JPEG into another one, with the orientation of pixels that are upright; all else in it stays as it was,
    /// the place too. Without any EXIF, or where the first file cannot be followed, the second stays as it is.
    ///
    /// Colour profiles and XMP are not taken along: the pixels may have other colours now, and nobody knows what the words are about.
    package static func carry(from original: [UInt8], to upright: [UInt8]) -> [UInt8] {
        guard var exif = segment(of: original), let place = placeForEXIF(in: upright) else { return upright }
        setUpright(&exif)
        return Array(upright[..<place]) + exif + Array(upright[place...])
    }

    /// The first segment that has EXIF, from its marker on.
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

    /// Where EXIF belongs: behind the start marker, and behind what says that it is a JFIF.
    private static func placeForEXIF(in bytes: [UInt8]) -> Int? {
        let span = bytes.span
        guard var segments = JPEGSegments(span, in: 0..<bytes.count), let first = try? segments.next(span) else {
            return nil
        }
        return first.marker == 0xE0 ? first.whole.upperBound : first.whole.lowerBound
    }

    /// Writes the orientation 1 where there is another one (TIFF 6.0, section 2).
    private static func setUpright(_ segment: inout [UInt8]) {
        // Marker, length, and the name of what follows.
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
