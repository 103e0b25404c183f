/// Takes the place out of a TIFF structure, as EXIF is one (TIFF 6.0, section 2; EXIF 3.0, 4.6), in place: its length and
/// all offsets in it stay.
///
/// Of the directories, the first one, EXIF's, the one on interoperability and that of the thumbnail are kept, and of
/// their tags those in `EXIFTags`. Whatever none of them refers to becomes zero: the GPS directory, the maker's note, and
/// what an editor left behind.
struct EXIFScrubber {
    private let original: [UInt8]
    private let isLittleEndian: Bool
    private var tiff: [UInt8]
    private var found: Set<LocationSource> = []
    /// The places of directories and of the thumbnail, which may overlap with nothing, and those of values.
    private var (directories, values): ([Range<Int>], [Range<Int>]) = ([], [])
    /// The places of directories that are still to be read.
    private var (exif, interoperability) = (nil as Int?, nil as Int?)
    private var thumbnail = EXIFThumbnail()

    /// The longest structure that is looked into, in bytes: a JPEG's has at most 65,527.
    static let maxBytes = 1_048_576

    /// Scrubs a structure; one that makes no sense keeps its orientation and nothing else.
    static func scrub(_ tiff: [UInt8]) -> (tiff: [UInt8], found: Set<LocationSource>) {
        let orientation = EXIF.orientation(tiff.span)
        if var scrubber = EXIFScrubber(tiff), scrubber.run(),
            EXIF.orientation(scrubber.tiff.span) == orientation
        {
            return (scrubber.tiff, scrubber.found)
        }
        let reduced = EXIFScrubber.structure(of: orientation, byteCount: tiff.count)
        return (reduced, reduced == tiff ? [] : [.damagedEXIF])
    }

    private init?(_ tiff: [UInt8]) {
        isLittleEndian = tiff.span.starts(with: "II")
        guard isLittleEndian || tiff.span.starts(with: "MM"),
            tiff.span.uint16(at: 2, isLittleEndian: isLittleEndian) == 42
        else { return nil }
        (original, self.tiff) = (tiff, tiff)
    }

    /// A structure with no tag but the orientation, and zeros behind it.
    static func structure(of orientation: Orientation?, byteCount: Int) -> [UInt8] {
        var tiff = Array("MM\0*".utf8) + [0, 0, 0, 8]
        if let orientation {
            tiff += [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        } else {
            tiff += [0, 0]
        }
        // The end of the chain of directories is four zeros, which may be missing at the end.
        guard tiff.count <= byteCount else { return [UInt8](repeating: 0, count: byteCount) }
        return tiff + [UInt8](repeating: 0, count: byteCount - tiff.count)
    }

    /// Scrubs the structure; false if it makes no sense.
    private mutating func run() -> Bool {
        directories = [0..<8]
        guard let first = uint32(at: 4), let next = readDirectory(at: first, .image) else { return false }
        if let exif { _ = readDirectory(at: exif, .exif) }
        if let interoperability { _ = readDirectory(at: interoperability, .interoperability) }
        if next.offset > 0, !keepThumbnail(at: next.offset) {
            found.insert(.unknownData)
            write(0, byteCount: 4, at: next.field)
        }
        guard areDirectoriesApart() else { return false }
        thumbnail.write(to: &tiff)
        clearRest()
        return true
    }

    // MARK: Directories

    /// Removes the tags that are not kept from a directory, and moves the others together.
    ///
    /// - Returns: The offset of the next directory, and where it stands by now; nil if there is no such directory.
    private mutating func readDirectory(at offset: Int, _ kind: EXIFTags) -> (offset: Int, field: Int)? {
        guard let count = uint16(at: offset), offset + 2 + count * 12 <= tiff.count else { return nil }
        let end = offset + 2 + count * 12
        let hasNext = kind.isInChain && end + 4 <= tiff.count
        let next = hasNext ? uint32(at: end) ?? 0 : 0
        var kept = offset + 2
        for entry in stride(from: offset + 2, to: end, by: 12) where keeps(entryAt: entry, kind) {
            // Towards the beginning, and never over an entry that is still to be read.
            for index in 0..<12 { tiff[kept + index] = original[entry + index] }
            kept += 12
        }
        write((kept - offset - 2) / 12, byteCount: 2, at: offset)
        for index in kept..<end + (hasNext ? 4 : 0) { tiff[index] = 0 }
        if hasNext { write(next, byteCount: 4, at: kept) }
        directories.append(offset..<end + (hasNext ? 4 : 0))
        return (next, kept)
    }

    /// Whether an entry stays; notes why not.
    private mutating func keeps(entryAt entry: Int, _ kind: EXIFTags) -> Bool {
        guard let tag = uint16(at: entry) else { return false }
        guard kind.keeps(tag) else {
            found.insert(EXIFTags.source(of: tag))
            return false
        }
        let isReadable = takeValue(of: tag, at: entry)
        if !isReadable { found.insert(.unknownData) }
        return isReadable
    }

    /// Notes where an entry's value is, or the directory to which it points; false if it makes no sense.
    private mutating func takeValue(of tag: Int, at entry: Int) -> Bool {
        guard let type = uint16(at: entry + 2), let count = uint32(at: entry + 4), let value = uint32(at: entry + 8),
            let size = EXIFTags.byteCount(ofType: type)
        else { return false }
        if EXIFTags.isPointer(tag) {
            guard size * count == 4, isDirectory(at: value) else { return false }
            return follow(tag, to: value)
        }
        guard size * count > 4 else { return true }
        guard value >= 8, size * count <= tiff.count - value else { return false }
        values.append(value..<value + size * count)
        return true
    }

    /// Notes the directory to which a tag points; false if another tag did so before.
    private mutating func follow(_ tag: Int, to offset: Int) -> Bool {
        switch tag {
        case EXIFTags.exifPointer where exif == nil: exif = offset
        case EXIFTags.interoperabilityPointer where interoperability == nil: interoperability = offset
        default: return false
        }
        return true
    }

    private func isDirectory(at offset: Int) -> Bool {
        guard offset >= 8, let count = uint16(at: offset) else { return false }
        return offset + 2 + count * 12 <= tiff.count
    }

    /// Keeps the second directory of the chain, if it is that of a thumbnail that is a whole JPEG, and the last one.
    private mutating func keepThumbnail(at offset: Int) -> Bool {
        guard isDirectory(at: offset), let count = uint16(at: offset) else { return false }
        for entry in stride(from: offset + 2, to: offset + 2 + count * 12, by: 12) {
            guard uint16(at: entry + 2) == EXIFTags.long, uint32(at: entry + 4) == 1 else { continue }
            switch uint16(at: entry) {
            case EXIFTags.thumbnailOffset: thumbnail.offset = uint32(at: entry + 8) ?? 0
            case EXIFTags.thumbnailByteCount: thumbnail.byteCount = uint32(at: entry + 8) ?? 0
            default: break
            }
        }
        guard thumbnail.read(original), let next = readDirectory(at: offset, .thumbnail) else { return false }
        if next.offset > 0 {
            found.insert(.unknownData)
            write(0, byteCount: 4, at: next.field)
        }
        directories.append(thumbnail.range)
        found.formUnion(thumbnail.found)
        return true
    }

    // MARK: What is referred to

    /// Whether each directory's bytes are its own: or else changing it changed something else.
    private func areDirectoriesApart() -> Bool {
        let ranges = directories.map { ($0, isDirectory: true) } + values.map { ($0, isDirectory: false) }
        var (directoryEnd, valueEnd) = (0, 0)
        for (range, isDirectory) in ranges.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) where !range.isEmpty {
            guard range.lowerBound >= directoryEnd, !isDirectory || range.lowerBound >= valueEnd else { return false }
            if isDirectory { directoryEnd = range.upperBound } else { valueEnd = max(valueEnd, range.upperBound) }
        }
        return true
    }

    /// Clears whatever is neither a directory nor a value of one.
    private mutating func clearRest() {
        var end = 0
        for range in (directories + values).sorted(by: { $0.lowerBound < $1.lowerBound }) + [tiff.count..<tiff.count] {
            for index in end..<max(end, range.lowerBound) where tiff[index] != 0 {
                tiff[index] = 0
                if found.isEmpty { found.insert(.unknownData) }
            }
            end = max(end, range.upperBound)
        }
    }

    // MARK: Numbers

    private func uint16(at offset: Int) -> Int? { original.span.uint16(at: offset, isLittleEndian: isLittleEndian) }

    private func uint32(at offset: Int) -> Int? { original.span.uint32(at: offset, isLittleEndian: isLittleEndian) }

    private mutating func write(_ number: Int, byteCount: Int, at offset: Int) {
        for index in 0..<byteCount {
            let shift = 8 * (isLittleEndian ? index : byteCount - 1 - index)
            tiff[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }
}
