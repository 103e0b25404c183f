/// A walk through the segments of a JPEG from its start marker to its end marker, including those between scans, and
/// through the scans themselves (ITU-T T.81, annex B).
struct JPEGSegments {
    /// A segment's position in the file.
    struct Segment {
        let marker: UInt8
        /// The bytes before the segment: none, fill bytes, or data that decoders skip.
        let gap: Range<Int>
        /// The segment with its marker; for the start of a scan, up to the end of the scan.
        let whole: Range<Int>
        /// The content after the segment's length.
        let payload: Range<Int>
    }

    /// The offset after the last segment. At the end, it is after the end marker or, without one, after the last
    /// segment: the rest is not part of the image.
    private(set) var offset: Int
    /// Whether the end marker has been reached.
    private(set) var isComplete = false
    private let end: Int
    private var hasScan = false

    /// Creates a walk through an image in a range of the file; nil if the range does not begin with a start marker.
    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard range.count >= 4, bytes.starts(with: [0xFF, 0xD8], at: range.lowerBound) else { return nil }
        offset = range.lowerBound + 2
        end = range.upperBound
    }

    /// Returns the next segment; nil after the end marker, or if no marker follows and there has been a scan.
    mutating func next(_ bytes: Span<UInt8>) throws(ImageError) -> Segment? {
        guard !isComplete else { return nil }
        let start = offset
        guard let marker = nextMarker(bytes) else {
            guard hasScan else { throw .truncated(.jpeg) }
            offset = start
            return nil
        }
        let whole = offset - 2
        switch marker {
        case 0xD9:
            isComplete = true
            return Segment(marker: marker, gap: start..<whole, whole: whole..<offset, payload: offset..<offset)
        case 0x01, 0xD0...0xD7:
            return Segment(marker: marker, gap: start..<whole, whole: whole..<offset, payload: offset..<offset)
        case 0xC0...0xCF, 0xDA...0xEF, 0xFE: break
        default: throw .corrupt(.jpeg, "a segment of an unknown kind")
        }
        guard let length = bytes.uint16(at: offset), length <= end - offset else { throw .truncated(.jpeg) }
        guard length >= 2 else { throw .corrupt(.jpeg, "a segment of \(length) bytes") }
        let payload = offset + 2..<offset + length
        offset += length
        if marker == 0xDA {
            hasScan = true
            skipScan(bytes)
        }
        return Segment(marker: marker, gap: start..<whole, whole: whole..<offset, payload: payload)
    }

    /// Moves past the next marker, as `JPEGHeader` does; returns nil if there is none.
    private mutating func nextMarker(_ bytes: Span<UInt8>) -> UInt8? {
        while let found = lastFillByte(bytes) {
            let code = bytes[found + 1]
            offset = found + 2
            if code != 0x00 { return code }
        }
        return nil
    }

    /// The next byte of 255 that is followed by another byte; the last one of several, since those before it are fill
    /// bytes.
    private func lastFillByte(_ bytes: Span<UInt8>) -> Int? {
        guard var found = bytes.extracting(..<end).firstIndex(of: 0xFF, from: offset) else { return nil }
        while found + 1 < end, bytes[found + 1] == 0xFF { found += 1 }
        return found + 1 < end ? found : nil
    }

    /// Moves past the coded data up to the next marker. Restart markers and reserved markers do not end it: decoders
    /// search for the next restart after these.
    private mutating func skipScan(_ bytes: Span<UInt8>) {
        while let found = lastFillByte(bytes) {
            let code = bytes[found + 1]
            guard code < 0xC0 || (0xD0...0xD7).contains(code) else {
                offset = found
                return
            }
            offset = found + 2
        }
        offset = end
    }
}
