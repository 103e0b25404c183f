/// Reads the orientation, the only EXIF tag that rendering uses.
enum EXIF {
    /// Reads the orientation from a TIFF structure (TIFF 6.0, section 2; EXIF 2.32, 4.6.4).
    ///
    /// Only the first directory is read, and only once, whatever its offsets are, so that no loop is possible. Nil if
    /// there is no valid orientation: an image is never refused because of its metadata.
    static func orientation(_ tiff: Span<UInt8>) -> Orientation? {
        let isLittleEndian = tiff.starts(with: "II")
        guard isLittleEndian || tiff.starts(with: "MM"),
            tiff.uint16(at: 2, isLittleEndian: isLittleEndian) == 42,
            let directory = tiff.uint32(at: 4, isLittleEndian: isLittleEndian),
            let entryCount = tiff.uint16(at: directory, isLittleEndian: isLittleEndian)
        else { return nil }
        for index in 0..<entryCount {
            let entry = directory + 2 + index * 12
            guard let tag = tiff.uint16(at: entry, isLittleEndian: isLittleEndian) else { return nil }
            if tag == 0x0112 { return value(tiff, entry: entry, isLittleEndian: isLittleEndian) }
        }
        return nil
    }

    /// The standard requires SHORT; some programs write LONG, which is accepted, too.
    private static func value(_ tiff: Span<UInt8>, entry: Int, isLittleEndian: Bool) -> Orientation? {
        let type = tiff.uint16(at: entry + 2, isLittleEndian: isLittleEndian)
        let value =
            switch type {
            case 3: tiff.uint16(at: entry + 8, isLittleEndian: isLittleEndian)
            case 4: tiff.uint32(at: entry + 8, isLittleEndian: isLittleEndian)
            default: nil as Int?
            }
        return value.flatMap(Orientation.init(rawValue:))
    }
}
