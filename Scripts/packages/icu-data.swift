// Writes the part of ICU's data that the service uses: swift icu-data.swift WHOLE PART. Foundation has the data of all of the
// world's languages, which is 34 MB. See `icu_object` in Scripts/linking.sh, which calls it.
//
// The format is that of ICU's udata/ucmndata.h: a header, the number of entries, an offset of the name and one of the data for
// each entry, in the order of the names; then the names, then the data of each entry at a multiple of 16 bytes. Offsets count
// from the end of the header.

import Foundation

/// A file in the data, such as `coll/de.res`.
struct Entry {
    /// Its name with the prefix of the version, such as `icudt76l/coll/de.res`.
    let name: Substring
    let data: Data

    /// The service formats in English alone, whatever the language of the machine or of a reader: its pages have texts of
    /// their own. Other languages get the formats of the root.
    private static let languages: Set<Substring> = ["root", "en"]
    /// Folders of which nothing is used: sorting by language, names of languages and regions, transliteration.
    private static let unusedFolders: Set<Substring> = ["coll", "lang", "region", "translit"]

    /// Whether the service uses it. Also left out are converters of encodings (Unicode, ASCII and Latin 1 need none), names of
    /// characters, profiles of user names and of confusable characters, the division of Asian texts into words, and all ways of
    /// breaking lines but the usual one.
    var isUsed: Bool {
        let path = name.split(separator: "/").dropFirst()
        guard let file = path.last, let folder = path.first, let dot = file.lastIndex(of: "."),
            !Self.unusedFolders.contains(folder)
        else { return false }
        let base = file[..<dot]
        return switch file[dot...] {
        case ".res": !Self.isLocale(base) || Self.languages.contains(base.prefix { $0 != "_" })
        case ".brk": !base.hasPrefix("line_")
        case ".icu": base != "unames"
        case ".nrm": true
        default: false
        }
    }

    /// Whether a name is that of a locale, such as `ja` or `de_AT`. The other names, such as `supplementalData`, have a longer
    /// first word.
    private static func isLocale(_ name: Substring) -> Bool { name == "root" || name.prefix { $0 != "_" }.count <= 3 }
}

struct Malformed: Error {}

extension Data {
    /// The little-endian number at an offset.
    func number<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type) throws -> Int {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, offset + size <= count else { throw Malformed() }
        return (0..<size).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }

    mutating func append(number: Int) {
        for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func pad() { append(contentsOf: [UInt8](repeating: 0, count: -count & 15)) }
}

/// Returns the header and the entries of the data.
func parse(_ whole: Data) throws -> (header: Data, entries: [Entry]) {
    let start = try whole.number(at: 0, as: UInt16.self)
    // The magic number, little-endian integers, ASCII, and the format.
    guard whole.count > start, start >= 24, whole[2..<4] == Data([0xda, 0x27]), whole[8..<10] == Data([0, 0]),
        whole[12..<16] == Data("CmnD".utf8), whole[16] == 1
    else { throw Malformed() }
    let count = try whole.number(at: start, as: UInt32.self)
    let offsets = try (0..<2 * count).map { start + (try whole.number(at: start + 4 + 4 * $0, as: UInt32.self)) }
    let entries = try (0..<count).map { index in
        let (name, from) = (offsets[2 * index], offsets[2 * index + 1])
        let end = index + 1 < count ? offsets[2 * index + 3] : whole.count
        guard name < whole.count, from < end, end <= whole.count else { throw Malformed() }
        return Entry(
            name: Substring(decoding: whole[name...].prefix { $0 != 0 }, as: UTF8.self), data: whole[from..<end])
    }
    return (whole[..<start], entries)
}

/// Returns data with these entries.
func part(_ header: Data, _ entries: [Entry]) -> Data {
    var (names, bodies) = (Data(), Data())
    var offsets: [(name: Int, body: Int)] = []
    for entry in entries {
        offsets.append((names.count, bodies.count))
        names.append(contentsOf: entry.name.utf8)
        names.append(0)
        bodies.append(entry.data)
        bodies.pad()
    }
    let table = 4 + 8 * entries.count
    // The bodies' addresses are multiples of 16, as is the header's.
    let start = table + names.count + (-(header.count + table + names.count) & 15)
    var result = header
    result.append(number: entries.count)
    for offset in offsets {
        result.append(number: table + offset.name)
        result.append(number: start + offset.body)
    }
    result.append(names)
    result.pad()
    return result + bodies
}

let arguments = CommandLine.arguments
let (header, entries) = try parse(Data(contentsOf: URL(filePath: arguments[1])))
let used = entries.filter(\.isUsed)
guard used.contains(where: { $0.name.hasSuffix("/root.res") }) else { throw Malformed() }
try part(header, used).write(to: URL(filePath: arguments[2]))
