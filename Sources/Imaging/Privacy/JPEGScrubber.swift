/// Removes the place from a JPEG (ITU-T T.81, annex B; JFIF, EXIF 3.0, CIPA DC-007 for several images in a file).
///
/// Application segments stay only if their kind is known. If further images follow the first one, removed data is
/// replaced by fill bytes, which may precede any marker (T.81, B.1.1.2), so that the index stays valid for those
/// images; otherwise it is cut.
struct JPEGScrubber {
    private let keepsMetadata: Bool
    private let cuts: Bool

    /// Scrubs a file and the other images in its index; any other data after the image is cut.
    static func scrub(_ file: inout ScrubbedBytes) throws(ImageError) {
        let index = try readIndex(file)
        let scrubber = JPEGScrubber(keepsMetadata: true, cuts: index.others.isEmpty)
        try scrubber.scrub(&file, in: 0..<index.end)
        var end = index.end
        for other in index.others {
            file.fill(end..<other.lowerBound, as: .trailingData)
            let imageEnd = try scrubber.scrub(&file, in: other)
            file.fill(imageEnd..<other.upperBound, as: .trailingData)
            end = other.upperBound
        }
        file.cut(end..<file.count, as: .trailingData)
    }

    /// Scrubs a thumbnail, which must be complete: its length stays the same, and all its metadata is removed.
    static func scrubThumbnail(_ file: inout ScrubbedBytes) throws(ImageError) {
        // Fill bytes in place of removed data need a marker after them; they would turn any other byte into a marker.
        guard isWholeImage(file.bytes.span, in: 0..<file.count) else { throw .truncated(.jpeg) }
        let end = try JPEGScrubber(keepsMetadata: false, cuts: false).scrub(&file, in: 0..<file.count)
        file.fill(end..<file.count, as: .trailingData)
    }

    /// The end of the first image, and the ranges of the other images in its index (MPF), in order; none if the index
    /// is invalid, which is then removed.
    private static func readIndex(_ file: ScrubbedBytes) throws(ImageError) -> (end: Int, others: [Range<Int>]) {
        guard var segments = JPEGSegments(file.bytes.span, in: 0..<file.count) else { throw .truncated(.jpeg) }
        var payload: Range<Int>?
        while let segment = try segments.next(file.bytes.span) {
            if segment.marker == 0xE2,
                file.bytes.span.starts(with: MultiPictureIndex.signature, at: segment.payload.lowerBound)
            {
                payload = payload ?? segment.payload
            }
        }
        let end = segments.offset
        guard segments.isComplete, let payload, let images = MultiPictureIndex.images(file.bytes.span, in: payload),
            let first = images.first, first.lowerBound >= end,
            images.allSatisfy({ isWholeImage(file.bytes.span, in: $0) })
        else { return (end, []) }
        return (end, images)
    }

    private static func isWholeImage(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard var segments = JPEGSegments(bytes, in: range) else { return false }
        do throws(ImageError) {
            while try segments.next(bytes) != nil {}
        } catch {
            return false
        }
        return segments.isComplete
    }

    /// Scrubs one image.
    ///
    /// - Returns: The offset after the image.
    @discardableResult
    private func scrub(_ file: inout ScrubbedBytes, in range: Range<Int>) throws(ImageError) -> Int {
        guard var segments = JPEGSegments(file.bytes.span, in: range) else {
            throw .corrupt(.jpeg, "no start of an image")
        }
        // Photoshop's resources may be continued in the next segment, so either all or none of them stay.
        let keepsResources = try keepsResources(file.bytes.span, in: range)
        while let segment = try segments.next(file.bytes.span) {
            let source = fault(of: segment, file.bytes.span, keepsResources: keepsResources)
            if segment.gap.contains(where: { file.bytes.span[$0] != 0xFF }) {
                remove(segment.gap, from: &file, as: .unknownData)
            } else if let source {
                // Fill bytes belong to the marker after them, which may be the last one.
                remove(segment.gap, from: &file, as: source)
            }
            if let source {
                remove(segment.whole, from: &file, as: source)
            } else if isEXIF(segment, file.bytes.span) {
                file.scrubEXIF(in: segment.payload.dropFirst(6))
            }
        }
        return segments.offset
    }

    private func remove(_ range: Range<Int>, from file: inout ScrubbedBytes, as source: LocationSource) {
        if cuts { file.cut(range, as: source) } else { file.fill(range, with: 0xFF, as: source) }
    }

    private static let xmp = "http://ns.adobe.com/xap/1.0/\0"
    private static let extendedXMP = "http://ns.adobe.com/xmp/extension/\0"
    private static let resources = "Photoshop 3.0\0"

    private func isEXIF(_ segment: JPEGSegments.Segment, _ bytes: Span<UInt8>) -> Bool {
        segment.marker == 0xE1 && bytes.extracting(segment.payload).starts(with: "Exif\0\0")
    }

    /// The reason for removing a segment; nil if it stays. Only application segments, and markers that have a meaning
    /// only within a scan, may be removed: such a marker would become a part of the preceding scan once all segments
    /// between them are removed.
    private func fault(
        of segment: JPEGSegments.Segment, _ bytes: Span<UInt8>, keepsResources: Bool
    ) -> LocationSource? {
        if segment.marker == 0x01 || (0xD0...0xD7).contains(segment.marker) { return .unknownData }
        guard (0xE0...0xEF).contains(segment.marker) else { return nil }
        let payload = bytes.extracting(segment.payload)
        switch segment.marker {
        case 0xE1 where keepsMetadata && isEXIF(segment, bytes): return nil
        case 0xE0 where payload.starts(with: "JFIF\0"), 0xEE where payload.starts(with: "Adobe"): return nil
        case 0xE1 where payload.starts(with: JPEGScrubber.extendedXMP): return .xmp
        case 0xE1 where payload.starts(with: JPEGScrubber.xmp):
            let packet = payload.extracting(JPEGScrubber.xmp.utf8.count...)
            return keepsMetadata && !LocationKeywords.mustGo(packet) ? nil : .xmp
        case 0xED where payload.starts(with: JPEGScrubber.resources):
            return keepsMetadata && keepsResources ? nil : .iptc
        case 0xE2 where payload.starts(with: MultiPictureIndex.signature):
            return keepsMetadata && !cuts ? nil : .trailingData
        case 0xE2 where payload.starts(with: "ICC_PROFILE\0") || payload.starts(with: "urn:iso:std:iso:ts:21496:-1\0"),
            0xEC where payload.starts(with: "Ducky"):
            return nil
        default: return .unknownData
        }
    }

    private func keepsResources(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) -> Bool {
        guard var segments = JPEGSegments(bytes, in: range) else { return false }
        while let segment = try segments.next(bytes) {
            let payload = bytes.extracting(segment.payload)
            guard segment.marker == 0xED, payload.starts(with: JPEGScrubber.resources) else { continue }
            let resources = payload.extracting(JPEGScrubber.resources.utf8.count...)
            if PhotoshopResources.mustGo(resources) { return false }
        }
        return true
    }
}

extension ScrubbedBytes {
    /// Scrubs a TIFF structure in place; only the orientation of a structure that is too long for a photo's stays.
    mutating func scrubEXIF(in range: Range<Int>) {
        guard range.count <= EXIFScrubber.maxBytes else { return reduceEXIF(in: range) }
        let (tiff, found) = EXIFScrubber.scrub(copy(range))
        guard !found.isEmpty else { return }
        found.forEach { note($0) }
        write(tiff, at: range.lowerBound)
    }

    private mutating func reduceEXIF(in range: Range<Int>) {
        let orientation = EXIF.orientation(bytes.span.extracting(range))
        let head = range.prefix(64)
        let structure = EXIFScrubber.structure(of: orientation, byteCount: head.count)
        if copy(head) != structure { note(.damagedEXIF) }
        write(structure, at: head.lowerBound)
        fill(head.upperBound..<range.upperBound, as: .damagedEXIF)
    }
}
