/// The tags that a directory of EXIF keeps when the place is removed: those of the standard (TIFF 6.0; EXIF 3.0, 4.6)
/// and a few that all programs write, except the place and the maker's note.
enum EXIFTags {
    case image, exif, interoperability, thumbnail

    static let exifPointer = 0x8769
    static let interoperabilityPointer = 0xA005
    static let thumbnailOffset = 0x0201
    static let thumbnailByteCount = 0x0202

    /// The type of a 32-bit number.
    static let long = 4

    /// Whether the directory is part of the chain of directories.
    var isInChain: Bool { self == .image || self == .thumbnail }

    /// TIFF's own tags; the rating; copyright and exposure; the colour profile; sensitivity, dates, the lens and all
    /// other tags of EXIF, including surroundings such as the temperature; Windows' title, comment, author, keywords
    /// and subject.
    private static let common: [ClosedRange<Int>] = [
        0x00FE...0x0149, 0x014B...0x0214, 0x4746...0x4746, 0x4749...0x4749, 0x8298...0x829D, 0x8773...0x8773,
        0x8822...0x8824, 0x8827...0x8835, 0x9000...0x927B, 0x927D...0x9292, 0x9400...0x9405, 0x9C9B...0x9C9F,
        0xA000...0xA004, 0xA20B...0xA500,
    ]

    /// Whether a tag is kept.
    func keeps(_ tag: Int) -> Bool {
        switch (self, tag) {
        case (.interoperability, _): (1...2).contains(tag) || (0x1000...0x1002).contains(tag)
        case (.image, EXIFTags.exifPointer), (.exif, EXIFTags.interoperabilityPointer): true
        default: EXIFTags.common.contains { $0.contains(tag) }
        }
    }

    /// Whether a tag points to a directory.
    static func isPointer(_ tag: Int) -> Bool { tag == exifPointer || tag == interoperabilityPointer }

    /// The kind of data in a tag that is removed.
    static func source(of tag: Int) -> LocationSource {
        switch tag {
        case 0x8825: .gps
        case 0x927C: .makerNote
        case 0x02BC: .xmp
        case 0x83BB, 0x8649: .iptc
        default: .unknownData
        }
    }

    /// The size of one value of a type in bytes (TIFF 6.0, section 2; EXIF 3.0, 4.6.2); nil for an unknown type.
    static func byteCount(ofType type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }
}
