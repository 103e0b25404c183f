/// Decides whether text with named fields, such as an XMP packet, names a place.
///
/// Fields are recognised by their names whatever their prefix is, since a packet may choose its prefixes: `GPSLatitude`
/// and all others of `exif:` (XMP specification, part 2), `City`, `State`, `Country` of `photoshop:`, `Location` and
/// `CountryCode` of `Iptc4xmpCore:`, `LocationCreated` and `LocationShown` with their `ProvinceState`, `Sublocation`
/// and `WorldRegion` of `Iptc4xmpExt:`, `lat` and `long` of `geo:`, and those of drone makers and photo libraries.
enum LocationKeywords {
    /// Words that are matched anywhere, in lower case.
    private static let parts = [
        "gps", "latitude", "longitude", "altitude", "location", "country", "province", "worldregion", "coverage",
        "wgs84", "geotag", "geocod", "geohash", "easting", "northing",
        // Not a place: the mark that the packet is continued (XMP specification, part 3, 1.1.3.1).
        "hasextendedxmp",
    ].map { Array($0.utf8) }

    /// Names that are matched as a whole, in lower case.
    private static let names = ["city", "state", "lat", "lon", "long", "region", "place", "places", "position"]
        .map { Array($0.utf8) }

    /// The table by first byte: for each byte, whether a part begins with it.
    private static let firstBytes = (0...UInt8.max).map { byte in parts.contains { $0.first == byte } }

    /// Whether a packet must be removed: it names a place, is continued in other segments, or is not plain text and
    /// therefore cannot be checked.
    static func mustGo(_ packet: Span<UInt8>) -> Bool {
        guard isPlain(packet) else { return true }
        for offset in 0..<packet.count {
            let byte = lowercase(packet[offset])
            if firstBytes[Int(byte)], parts.contains(where: { matches(packet, $0, at: offset) }) { return true }
            guard byte == UInt8(ascii: ":") || byte == UInt8(ascii: "<") else { continue }
            for name in names where matches(packet, name, at: offset + 1) {
                guard let next = packet.byte(at: offset + 1 + name.count), isNameByte(next) else { return true }
            }
        }
        return false
    }

    /// Whether the packet has no control characters except white space, which rules out UTF-16 and compressed data.
    private static func isPlain(_ packet: Span<UInt8>) -> Bool {
        for index in 0..<packet.count {
            let byte = packet[index]
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
        }
        return true
    }

    private static func matches(_ text: Span<UInt8>, _ word: [UInt8], at offset: Int) -> Bool {
        guard offset + word.count <= text.count else { return false }
        for (index, byte) in word.enumerated() where lowercase(text[offset + index]) != byte { return false }
        return true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        let byte = lowercase(byte)
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
