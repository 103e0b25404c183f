/// Removes the place from a HEIC or an AVIF (ISO/IEC 23008-12 and 14496-12), in place: references to bytes by their
/// position stay valid.
///
/// EXIF items are scrubbed, and XMP items that name a place are replaced by an empty packet. Items of unknown kinds,
/// user data and boxes of unknown kinds become zeros, and so does data that belongs to no item, unless there is a film,
/// to which it may belong. Files whose metadata cannot be reached, and those with a track of samples that are neither
/// pictures nor sound, are refused.
struct HEIFScrubber {
    private let format: ImageFormat
    private let items: HEIFItems
    /// The items in this file that are not pictures.
    private var notes: [(item: Int, type: String)] = []
    private var boxes: HEIFBoxes

    static func scrub(_ file: inout ScrubbedBytes, format: ImageFormat) throws(ImageError) {
        var scrubber = try HEIFScrubber(file, format: format)
        try scrubber.sortItems(file.bytes.span)
        try scrubber.boxes.checkAreApart()
        for (item, type) in scrubber.notes { try scrubber.scrub(item, of: type, in: &file) }
        scrubber.boxes.clear(in: &file)
    }

    private init(_ file: ScrubbedBytes, format: ImageFormat) throws(ImageError) {
        self.format = format
        items = try HEIFItems(file.bytes.span, format: format)
        boxes = try HEIFBoxes(file.bytes.span, format: format)
        guard !items.isMinimized else {
            throw refusal("of the low-overhead kind (mini)")
        }
    }

    /// The types of items that are pictures, coded or derived from others.
    private static let pictures: Set<String> = [
        "hvc1", "av01", "grid", "iden", "iovl", "tmap", "hvt1", "lhv1", "avc1", "vvc1", "evc1", "unci", "j2k1",
    ]

    /// Separates the items to be scrubbed from the pictures, and records the position of both.
    private mutating func sortItems(_ bytes: Span<UInt8>) throws(ImageError) {
        for (item, type) in items.types.sorted(by: { $0.key < $1.key }) where items.obstacles[item] != .otherFile {
            let isPicture = HEIFScrubber.pictures.contains(type)
            for piece in items.pieces(of: item) {
                guard isPicture || piece.upperBound <= bytes.count else { throw .truncated(format) }
                boxes.note(piece, isChanged: !isPicture)
            }
            guard !isPicture else { continue }
            guard items.obstacles[item] == nil else { throw refusal("whose metadata cannot be reached") }
            // Such a picture would have metadata of its own.
            guard type != "jpeg" else { throw refusal("with a picture that is a JPEG") }
            notes.append((item, type))
        }
    }

    private func scrub(_ item: Int, of type: String, in file: inout ScrubbedBytes) throws(ImageError) {
        var data = ScrubbedBytes(try items.data(of: item, file.bytes.span))
        switch type {
        case "Exif": HEIFScrubber.scrubEXIF(&data)
        case "mime":
            guard LocationKeywords.mustGo(data.bytes.span) else { return }
            data.note(.xmp)
            data.fill(0..<data.count, with: UInt8(ascii: " "))
            if HEIFScrubber.emptyPacket.count <= data.count { data.write(HEIFScrubber.emptyPacket, at: 0) }
        default: data.fill(0..<data.count, as: .unknownData)
        }
        data.found.forEach { file.note($0) }
        var offset = 0
        for piece in items.pieces(of: item) {
            file.write(data.bytes[offset..<offset + piece.count], at: piece.lowerBound)
            offset += piece.count
        }
    }

    private static let emptyPacket = Array(#"<x:xmpmeta xmlns:x="adobe:ns:meta/"/>"#.utf8)

    /// Scrubs an EXIF item: the number of bytes to skip, these bytes, and the TIFF structure (ISO/IEC 23008-12, A.2.1).
    private static func scrubEXIF(_ data: inout ScrubbedBytes) {
        let start = 4 + (data.bytes.span.uint32(at: 0) ?? 0)
        if data.bytes.span.starts(with: "II", at: start) || data.bytes.span.starts(with: "MM", at: start) {
            if !(start == 10 && data.bytes.span.starts(with: "Exif\0\0", at: 4)) {
                data.fill(4..<start, as: .unknownData)
            }
            data.scrubEXIF(in: start..<data.count)
        } else {
            data.fill(0..<min(4, data.count), as: .damagedEXIF)
            data.scrubEXIF(in: min(4, data.count)..<data.count)
        }
    }

    private func refusal(_ what: String) -> ImageError {
        .unsupported(
            "removing the place from a \(format.name) \(what)", hint: "Save the picture as a JPEG, and use that.")
    }
}
