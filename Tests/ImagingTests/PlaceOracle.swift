/// A search for a place in a file that does not know its format, like a person with nothing but a search for bytes. It
/// shares no code with the program's reading and removing of places.
struct PlaceOracle {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The findings, as a person would name them.
    var places: [String] {
        words.filter { !positions(of: Array($0.utf8)).isEmpty } + directories.sorted() + records
    }

    /// The fields of XMP, and the text in the fixtures with a place.
    private let words = [
        "TINTYPE-SECRET-PLACE", "exif:GPS", "photoshop:City", "photoshop:State", "photoshop:Country",
        "Iptc4xmpCore:Location", "Iptc4xmpCore:CountryCode", "LocationCreated", "LocationShown", "Raw profile type",
        "MakerNote",
    ]

    /// The directories of places and makers' notes that a TIFF structure anywhere in the file refers to.
    private var directories: Set<String> {
        var found: Set<String> = []
        for (magic, isLittle) in [([0x49, 0x49, 42, 0], true), ([0x4D, 0x4D, 0, 42], false)] as [([UInt8], Bool)] {
            for start in positions(of: magic) {
                var pending = [number(start + 4, 4, isLittle) ?? 0]
                for _ in 0..<8 {
                    guard let directory = pending.popLast() else { break }
                    let count = number(start + directory, 2, isLittle) ?? 0
                    for index in 0..<count {
                        let entry = start + directory + 2 + index * 12
                        switch number(entry, 2, isLittle) {
                        case 0x8825: found.insert("GPS")
                        case 0x927C: found.insert("a maker's note")
                        case 0x8769: pending.append(number(entry + 8, 4, isLittle) ?? 0)
                        default: break
                        }
                    }
                    let next = number(start + directory + 2 + count * 12, 4, isLittle) ?? 0
                    if next > 0 { pending.append(next) }
                }
            }
        }
        return found
    }

    /// The data sets of a place in an IPTC record.
    private var records: [String] {
        guard !positions(of: Array("8BIM\u{4}\u{4}".utf8)).isEmpty else { return [] }
        return [90, 92, 95, 100, 101].filter { !positions(of: [0x1C, 2, $0, 0]).isEmpty }.map { "IPTC 2:\($0)" }
    }

    private func number(_ offset: Int, _ byteCount: Int, _ isLittle: Bool) -> Int? {
        guard offset >= 0, offset + byteCount <= bytes.count else { return nil }
        let field = bytes[offset..<offset + byteCount]
        return (isLittle ? Array(field.reversed()) : Array(field)).reduce(0) { $0 << 8 | Int($1) }
    }

    private func positions(of pattern: [UInt8]) -> [Int] {
        guard let first = pattern.first, bytes.count >= pattern.count else { return [] }
        return (0...bytes.count - pattern.count).filter {
            bytes[$0] == first && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
        }
    }
}
