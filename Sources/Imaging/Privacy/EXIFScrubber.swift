/// Removes the place from a TIFF structure, such as EXIF (TIFF 6.0, section 2; EXIF 3.0, 4.6), in place: its length and
/// all offsets in it stay the same.
///
/// The scrubber keeps the first directory, those of EXIF and interoperability, and that of the thumbnail, and in them
/// the tags of `EXIFTags`. Data that none of these tags refers to is set to zero: the GPS directory, the maker's note,
/// and an editor's remains.
struct EXIFScrubber {
    private let original: [UInt8]
    private let isLittleEndian: Bool
    private var tiff: [UInt8]
    private var found: Set<LocationSource> = []
    /// The ranges of directories and of the thumbnail, which may not overlap anything, and the ranges of values.
    private var (directories, values): ([Range<Int>], [Range<Int>]) = ([], [])
    /// The offsets of directories that have not been read yet.
    private var (exif, interoperability) = (nil as Int?, nil as Int?)
    private var thumbnail = EXIFThumbnail()

    /// The length of the longest structure that is parsed, in bytes; in a JPEG it has at most 65,527.
    static let maxBytes = 1_048_576

    /// Scrubs a structure; only the orientation of a malformed structure is kept.
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

    /// Creates a structure whose only tag is the orientation, followed by zeros.
    static func structure(of orientation: Orientation?, byteCount: Int) -> [UInt8] {
        var tiff = Array("MM\0*".utf8) + [0, 0, 0, 8]
        if let orientation {
            tiff += [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        } else {
            tiff += [0, 0]
        }
        // Four zeros end the chain of directories; they may be missing at the end of the data.
        guard tiff.count <= byteCount else { return [UInt8](repeating: 0, count: byteCount) }
        return tiff + [UInt8](repeating: 0, count: byteCount - tiff.count)
    }

    /// Scrubs the structure; returns false if it is malformed.
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

    /// Removes the tags that are not kept from a directory and closes the gaps between the others.
    ///
    /// - Returns: The offset of the next directory (0 if there is none), and the new position of that field; nil if the
    ///   directory does not exist.
    private mutating func readDirectory(at offset: Int, _ kind: EXIFTags) -> (offset: Int, field: Int)? {
        guard let count = uint16(at: offset), offset + 2 + count * 12 <= tiff.count else { return nil }
        let end = offset + 2 + count * 12
        let hasNext = kind.isInChain && end + 4 <= tiff.count
        let next = hasNext ? uint32(at: end) ?? 0 : 0
        var kept = offset + 2
        for entry in stride(from: offset + 2, to: end, by: 12) where keeps(entryAt: entry, kind) {
            // Entries move towards the beginning, and never over an entry that has not been read.
            for index in 0..<12 { tiff[kept + index] = original[entry + index] }
            kept += 12
        }
        write((kept - offset - 2) / 12, byteCount: 2, at: offset)
        for index in kept..<end + (hasNext ? 4 : 0) { tiff[index] = 0 }
        if hasNext { write(next, byteCount: 4, at: kept) }
        directories.append(offset..<end + (hasNext ? 4 : 0))
        return (next, kept)
    }

    /// Whether an entry is kept; records the reason if not.
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

    /// Records the range of an entry's value, or the directory that it points to; returns false if it is malformed.
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

    /// Records the directory that a tag points to; returns false if another tag pointed to one before.
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

    /// Keeps the second directory of the chain if it belongs to a thumbnail that is a complete JPEG; ends the chain
    /// after it.
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

    // MARK: References

    /// Whether no directory shares bytes with anything else; otherwise a change of the directory would change that,
    /// too.
    private func areDirectoriesApart() -> Bool {
        let ranges = directories.map { ($0, isDirectory: true) } + values.map { ($0, isDirectory: false) }
        var (directoryEnd, valueEnd) = (0, 0)
        for (range, isDirectory) in ranges.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) where !range.isEmpty {
            guard range.lowerBound >= directoryEnd, !isDirectory || range.lowerBound >= valueEnd else { return false }
            if isDirectory { directoryEnd = range.upperBound } else { valueEnd = max(valueEnd, range.upperBound) }
        }
        return true
    }

    /// Clears all bytes that belong to neither a directory nor a value.
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
