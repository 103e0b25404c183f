/// The header of a file in a tar archive (POSIX.1-1988 ustar). A name that is too long, or a size of more than 8 GiB,
/// is stored in an extended header of POSIX.1-2001 before it.
struct TarHeader: Equatable {
    static let blockBytes = 512
    private static let magic = Array("ustar\u{0}00".utf8)

    enum Kind: UInt8 {
        case file = 0x30
        /// `x`: records about the file that follows.
        case extended = 0x78
    }

    var name: String
    var byteCount: Int
    var kind = Kind.file
    /// The modification time, in seconds since the epoch.
    var modified = 0

    /// The number of bytes that fill the last block of a file.
    static func padding(after byteCount: Int) -> Int { (blockBytes - byteCount % blockBytes) % blockBytes }

    // MARK: Writing

    /// The encoded header, preceded by an extended one if needed.
    var bytes: [UInt8] {
        var records: [UInt8] = []
        if name.utf8.count > 100 { records += Self.record("path", name) }
        if byteCount > 0o77777777777 { records += Self.record("size", "\(byteCount)") }
        guard !records.isEmpty else { return block }
        let extended = TarHeader(name: "PaxHeaders/next", byteCount: records.count, kind: .extended, modified: modified)
        let padding = [UInt8](repeating: 0, count: Self.padding(after: records.count))
        return extended.block + records + padding + block
    }

    private var block: [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        func put(_ bytes: some Collection<UInt8>, at offset: Int, upTo length: Int) {
            for (index, byte) in bytes.prefix(length).enumerated() { block[offset + index] = byte }
        }
        func put(octal number: Int, at offset: Int, digits: Int) {
            let text = String(number, radix: 8)
            put((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8, at: offset, upTo: digits)
        }
        put(name.utf8, at: 0, upTo: 100)
        put(octal: 0o600, at: 100, digits: 7)
        put(octal: 0, at: 108, digits: 7)
        put(octal: 0, at: 116, digits: 7)
        put(octal: byteCount > 0o77777777777 ? 0 : byteCount, at: 124, digits: 11)
        put(octal: modified, at: 136, digits: 11)
        put(repeatElement(0x20, count: 8), at: 148, upTo: 8)
        block[156] = kind.rawValue
        put(Self.magic, at: 257, upTo: 8)
        put(octal: block.reduce(0) { $0 + Int($1) }, at: 148, digits: 6)
        block[154] = 0
        return block
    }

    /// Encodes a record of an extended header: its length, including itself, its key and its value.
    private static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = key.utf8.count + value.utf8.count + 3
        var length = rest + 1
        while "\(length)".utf8.count + rest > length { length += 1 }
        return Array("\(length) \(key)=\(value)\n".utf8)
    }

    // MARK: Reading

    init(name: String, byteCount: Int, kind: Kind = .file, modified: Int = 0) {
        (self.name, self.byteCount, self.kind, self.modified) = (name, byteCount, kind, modified)
    }

    /// Parses a block; nil if it is not a header of a kind that is written here.
    init?(block: [UInt8]) {
        guard block.count == Self.blockBytes, Array(block[257..<262]) == Array(Self.magic.prefix(5)),
            let kind = Kind(rawValue: block[156]), let byteCount = Self.number(block[124..<136]),
            let checksum = Self.number(block[148..<156])
        else { return nil }
        let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
        guard sum == checksum else { return nil }
        self.init(
            name: String(decoding: block[0..<100].prefix { $0 != 0 }, as: UTF8.self), byteCount: byteCount, kind: kind)
    }

    /// Applies the records of an extended header to this file.
    mutating func extend(by records: [UInt8]) {
        var rest = records[...]
        while let space = rest.firstIndex(of: 0x20),
            let length = Int(String(decoding: rest[rest.startIndex..<space], as: UTF8.self)),
            length > space - rest.startIndex + 1, length <= rest.count
        {
            let record = String(
                decoding: rest[space...].dropFirst().prefix(rest.startIndex + length - space - 2), as: UTF8.self)
            let parts = record.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, parts[0] == "path" { name = parts[1] }
            if parts.count == 2, parts[0] == "size", let size = Int(parts[1]), size >= 0 { byteCount = size }
            rest = rest.dropFirst(length)
        }
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
