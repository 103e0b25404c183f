import Files

/// Whether a photo ends as its format says that it must: a copy that was broken off does not.
///
/// A cheap look at both ends of the file, and no judgement of what is between. Formats: JPEG (ITU-T T.81 B.1.1.3), PNG
/// (11.2.5), GIF89a (27), RIFF, ISO base media (ISO/IEC 14496-12, 4.2).
enum EndMarker {
    private static let maxBoxes = 64

    /// Whether the file is whole by its own account; false for what is no photo, and for whatever cannot be told.
    static func isWhole(_ file: FileReader) -> Bool {
        guard let byteCount = try? file.byteCount(), byteCount >= 12,
            let head = try? file.read(at: 0, maxBytes: 12), head.count == 12,
            let tail = try? file.read(at: byteCount - 12, maxBytes: 12), tail.count == 12
        else { return false }
        if head.starts(with: [0xFF, 0xD8]) { return tail.suffix(2).elementsEqual([0xFF, 0xD9]) }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            return tail.elementsEqual([0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        }
        if head.starts(with: "GIF8".utf8) { return tail.last == 0x3B }
        if head.starts(with: "RIFF".utf8) {
            let count = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
            return count + 8 == byteCount || count + 9 == byteCount
        }
        if head[4..<8].elementsEqual("ftyp".utf8) { return endsWithABox(file, byteCount) }
        return false
    }

    private static func endsWithABox(_ file: FileReader, _ byteCount: Int) -> Bool {
        var offset = 0
        for _ in 0..<maxBoxes {
            guard let header = try? file.read(at: offset, maxBytes: 16), header.count >= 8 else { return false }
            var size = UInt64(header.prefix(4).reduce(0) { $0 << 8 | UInt64($1) })
            if size == 1, header.count == 16 { size = header[8...].reduce(0) { $0 << 8 | UInt64($1) } }
            // A box of size 0 goes to the end, wherever that is: it tells nothing.
            guard size >= 8, let length = Int(exactly: size), length <= byteCount - offset else { return false }
            offset += length
            if offset == byteCount { return true }
        }
        return false
    }
}
