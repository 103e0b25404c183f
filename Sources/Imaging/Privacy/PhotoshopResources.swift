/// Reads Photoshop's image resources in a JPEG's APP13 segments (Adobe Photoshop File Formats Specification, "Image
/// Resources Section"), one of which is an IPTC record.
enum PhotoshopResources {
    /// The resource with the IPTC record, and those with EXIF or XMP.
    private static let (iptc, exif, otherEXIF, xmp) = (0x0404, 0x0422, 0x0423, 0x0424)

    /// Whether the resources must be removed: they name a place or are malformed.
    static func mustGo(_ resources: Span<UInt8>) -> Bool {
        var offset = 0
        while offset < resources.count {
            // Some writers pad a segment.
            if resources.byte(at: offset) == 0, offset + 1 == resources.count { return false }
            guard resources.starts(with: "8BIM", at: offset), let id = resources.uint16(at: offset + 4),
                let nameLength = resources.byte(at: offset + 6)
            else { return true }
            // A name with its length, and the data, are padded to an even number of bytes.
            let start = offset + 6 + (Int(nameLength) + 2) / 2 * 2 + 4
            guard let length = resources.uint32(at: start - 4), length <= resources.count - start else { return true }
            let data = resources.extracting(start..<start + length)
            switch id {
            case iptc: if namesPlace(record: data) { return true }
            case exif, otherEXIF: return true
            case xmp: if LocationKeywords.mustGo(data) { return true }
            default: break
            }
            offset = start + length + length % 2
        }
        return false
    }

    /// The data sets that name a place: content location code and name, city, sublocation, province or state, country
    /// code and name (IPTC-IIM 4.2, chapter 6).
    private static let places: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

    /// Whether an IPTC record is malformed or has a data set that names a place.
    private static func namesPlace(record: Span<UInt8>) -> Bool {
        var offset = 0
        while offset < record.count {
            guard record.byte(at: offset) == 0x1C else {
                // Zeros may follow the last data set.
                return (offset..<record.count).contains { record[$0] != 0 }
            }
            guard let number = record.byte(at: offset + 1), let dataSet = record.byte(at: offset + 2),
                let length = record.uint16(at: offset + 3), length < 0x8000
            else { return true }
            guard number != 2 || !places.contains(dataSet) else { return true }
            offset += 5 + length
        }
        return offset > record.count
    }
}
