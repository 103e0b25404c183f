/// Tells whether text with named fields, such as an XMP packet, names a place.
///
/// Fields are known by their names whatever their prefix is, since a packet chooses its prefixes itself: `GPSLatitude`
/// and all others of `exif:` (XMP specification, part 2), `City`, `State`, `Country` of `photoshop:`, `Location` and
/// `CountryCode` of `Iptc4xmpCore:`, `LocationCreated` and `LocationShown` with their `ProvinceState`, `Sublocation` and
/// `WorldRegion` of `Iptc4xmpExt:`, `lat` and `long` of `geo:`, and what makers of drones and libraries of photos write.
enum LocationKeywords {
    /// Words that need only occur, in lower case.
    private static let parts = [
        "gps", "latitude", "longitude", "altitude", "location", "country", "province", "worldregion", "coverage",
        "wgs84", "geotag", "geocod", "geohash", "easting", "northing",
        // Not a place, but what says that the packet is continued (XMP specification, part 3, 1.1.3.1).
        "hasextendedxmp",
    ].map { Array($0.utf8) }

    /// Whole names, in lower case.
    private static let names = ["city", "state", "lat", "lon", "long", "region", "place", "places", "position"]
        .map { Array($0.utf8) }

    /// The bytes with which a part begins.
    private static let firstBytes = (0...UInt8.max).map { byte in parts.contains { $0.first == byte } }

    /// Whether a packet has to go: it names a place, is continued in other segments, or is no plain text, and cannot be
    /// judged therefore.
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

    /// Whether there are no control characters but white space: neither UTF-16 nor anything packed.
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
