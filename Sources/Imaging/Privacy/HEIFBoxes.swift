/// The boxes of a HEIC or an AVIF that may contain the place: the parts of the file that stay the same, and those that
/// become zeros (ISO/IEC 14496-12, clause 8).
struct HEIFBoxes {
    private let format: ImageFormat
    /// The parts of the file that stay the same or change.
    private var parts: [(range: Range<Int>, isChanged: Bool)] = []
    /// The boxes that become free space.
    private var unknown: [Boxes.Box] = []
    /// The end of the last box that stays; nil if data after it may be referred to.
    private var end: Int?
    /// Whether there is a film, whose tables also refer to data.
    private var hasFilm = false

    /// The maximum number of boxes, so that a file cannot demand unbounded memory.
    private static let maxBoxes = 10_000

    /// A box that contains boxes. Those in `kept` stay; all others are unknown.
    private enum Container {
        case file, tables, film, track, media, mediaInformation

        var kept: [String] {
            switch self {
            case .file: ["ftyp", "mdat", "mini"]
            case .tables: ["hdlr", "pitm", "iinf", "iref", "iprp", "idat", "iloc", "dinf", "ipro", "grpl"]
            case .film: ["mvhd", "mvex"]
            case .track: ["tkhd", "tref", "trgr", "edts"]
            case .media: ["mdhd", "hdlr", "elng"]
            case .mediaInformation: ["vmhd", "smhd", "nmhd", "hmhd", "dinf", "stbl"]
            }
        }

        /// The type of the boxes in it that are walked into, and the length of the version and flags at their
        /// beginning, in bytes.
        var inner: (type: String, container: Container, skipped: Int)? {
            switch self {
            case .film: ("trak", .track, 0)
            case .track: ("mdia", .media, 0)
            case .media: ("minf", .mediaInformation, 0)
            case .file, .tables, .mediaInformation: nil
            }
        }
    }

    init(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) {
        self.format = format
        var (boxes, hasTables) = (Boxes(in: 0..<bytes.count, of: format), false)
        while let box = try boxes.next(bytes) {
            if bytes.starts(with: "meta", at: box.type), !hasTables {
                hasTables = true
                end = box.payload.upperBound
                note(box.type - 4..<min(box.payload.upperBound, box.payload.lowerBound + 4), isChanged: false)
                try take(box.payload.dropFirst(4), .tables, bytes)
            } else if bytes.starts(with: "moov", at: box.type) {
                hasFilm = true
                note(box.type - 4..<box.payload.lowerBound, isChanged: false)
                try take(box.payload, .film, bytes)
            } else if try take(box, in: .file, bytes) {
                end = box.payload.upperBound
            }
        }
        if hasFilm { end = nil }
    }

    /// Records a part of the file that stays the same or changes.
    mutating func note(_ range: Range<Int>, isChanged: Bool) {
        if !range.isEmpty { parts.append((range, isChanged)) }
    }

    /// Walks through the boxes of a container and of the containers in it, to the depth of `Container`.
    private mutating func take(
        _ range: Range<Int>, _ container: Container, _ bytes: Span<UInt8>
    ) throws(ImageError) {
        var pending = [(range, container)]
        while let (range, container) = pending.popLast() {
            var boxes = Boxes(in: range, of: format)
            while let box = try boxes.next(bytes) {
                guard let inner = container.inner, bytes.starts(with: inner.type, at: box.type) else {
                    _ = try take(box, in: container, bytes)
                    continue
                }
                note(box.type - 4..<box.payload.lowerBound, isChanged: false)
                guard pending.count + parts.count < HEIFBoxes.maxBoxes else { throw tooMany }
                pending.append((box.payload, inner.container))
            }
        }
    }

    /// Records a box that is not walked into.
    ///
    /// - Returns: Whether the box stays.
    private mutating func take(
        _ box: Boxes.Box, in container: Container, _ bytes: Span<UInt8>
    ) throws(ImageError) -> Bool {
        guard parts.count < HEIFBoxes.maxBoxes else { throw tooMany }
        guard let type = container.kept.first(where: { bytes.starts(with: $0, at: box.type) }) else {
            note(box.type - 4..<box.payload.upperBound, isChanged: true)
            unknown.append(box)
            return HEIFBoxes.isFree(box, bytes)
        }
        if container == .media, type == "hdlr" { try checkHandler(of: box, bytes) }
        // Items are stored in data boxes and are recorded separately.
        let isData = type == "mdat" || type == "idat"
        note(box.type - 4..<(isData ? box.payload.lowerBound : box.payload.upperBound), isChanged: false)
        return true
    }

    private var tooMany: ImageError { .unsupported("\(format.name) of more than \(HEIFBoxes.maxBoxes) parts") }

    /// Throws for a track of anything but pictures and sound, since it may contain places.
    private func checkHandler(of box: Boxes.Box, _ bytes: Span<UInt8>) throws(ImageError) {
        let type = box.payload.lowerBound + 8
        guard ["pict", "vide", "auxv", "soun"].contains(where: { bytes.starts(with: $0, at: type) }) else {
            throw .unsupported(
                "removing the place from a \(format.name) with a track of metadata",
                hint: "Save the picture as a JPEG, and use that.")
        }
    }

    /// Throws if a part that changes overlaps with another part: a picture, or one of the tables.
    func checkAreApart() throws(ImageError) {
        var (keptEnd, changedEnd) = (0, 0)
        for (range, isChanged) in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard range.lowerBound >= changedEnd, !isChanged || range.lowerBound >= keptEnd else {
                throw .corrupt(format, "metadata that overlaps with other data")
            }
            if isChanged { changedEnd = range.upperBound } else { keptEnd = max(keptEnd, range.upperBound) }
        }
    }

    /// The parts of the file that are neither a box nor an item in one: data that the tables do not refer to, such as
    /// an item that a program has removed from the tables only.
    private func leftovers(before end: Int) -> [Range<Int>] {
        var (leftovers, partEnd) = ([Range<Int>](), 0)
        for (range, _) in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) + [(end..<end, false)] {
            if partEnd < range.lowerBound { leftovers.append(partEnd..<range.lowerBound) }
            partEnd = max(partEnd, range.upperBound)
        }
        return leftovers
    }

    /// Turns unknown boxes into free space, fills leftovers with zeros, and cuts the boxes after the last one that
    /// stays.
    func clear(in file: inout ScrubbedBytes) {
        let end = end ?? file.count
        if !hasFilm { leftovers(before: end).forEach { file.fill($0, as: .unknownData) } }
        for box in unknown where box.type - 4 < end {
            if !HEIFBoxes.isFree(box, file.bytes.span) {
                file.note(.unknownData)
                file.write(Array("free".utf8), at: box.type)
            }
            file.fill(box.payload, as: .unknownData)
        }
        file.cut(end..<file.count, as: .trailingData)
    }

    private static func isFree(_ box: Boxes.Box, _ bytes: Span<UInt8>) -> Bool {
        bytes.starts(with: "free", at: box.type) || bytes.starts(with: "skip", at: box.type)
    }
}
