internal import CCodecs

/// The position of the pixels in a PNG of the usual kind (PNG specification, third edition, sections 5 and 11).
struct PNGChunks {
    let size: PixelSize
    /// The number of samples per pixel, of 8 bits each: grey, RGB or RGBA.
    let channels: Int
    /// The range from the first payload of pixel data to the end of the last one; it contains only such chunks, perhaps
    /// very many.
    private var data = 0..<0
    private var dataByteCount = 0

    /// Reads all chunks and verifies their checksums; returns nil for anything unusual or invalid.
    static func read(_ bytes: Span<UInt8>) -> PNGChunks? {
        var offset = 8  // after the signature
        guard let first = next(bytes, &offset), bytes.starts(with: "IHDR", at: first.lowerBound - 4),
            var chunks = PNGChunks(header: bytes.extracting(first))
        else { return nil }
        var isBehindData = false
        while let payload = next(bytes, &offset) {
            let type = payload.lowerBound - 4
            guard (type..<type + 4).allSatisfy({ isLetter(bytes[$0]) }) else { return nil }
            if bytes.starts(with: "IDAT", at: type) {
                guard !isBehindData else { return nil }
                let isFirst = chunks.data.upperBound == 0
                chunks.data = (isFirst ? payload.lowerBound : chunks.data.lowerBound)..<payload.upperBound
                chunks.dataByteCount += payload.count
                continue
            }
            isBehindData = chunks.data.upperBound > 0
            if bytes.starts(with: "IEND", at: type) { return isBehindData ? chunks : nil }
            // A first capital letter marks a chunk that must be understood; a palette is only a suggestion in these
            // images.
            guard !bytes.starts(with: "tRNS", at: type), bytes[type] & 0x20 != 0 || bytes.starts(with: "PLTE", at: type)
            else { return nil }
        }
        return nil
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private init?(header: Span<UInt8>) {
        guard header.count == 13, let width = header.uint32(at: 0), let height = header.uint32(at: 4),
            width > 0, height > 0, header.byte(at: 8) == 8,
            header.byte(at: 10) == 0, header.byte(at: 11) == 0, header.byte(at: 12) == 0
        else { return nil }
        switch header.byte(at: 9) {
        case 0: channels = 1
        case 2: channels = 3
        case 6: channels = 4
        default: return nil
        }
        size = PixelSize(width: width, height: height)
    }

    /// Moves past a chunk and returns the range of its payload; nil at the end, or if the checksum is wrong.
    private static func next(_ bytes: Span<UInt8>, _ offset: inout Int) -> Range<Int>? {
        guard let length = bytes.uint32(at: offset), let sum = bytes.uint32(at: offset + 8 + length) else { return nil }
        let start = offset + 8
        let checked = bytes.extracting(start - 4..<start + length)
        let found = unsafe checked.withUnsafeBufferPointer { unsafe ccodecs_crc32($0.baseAddress, $0.count) }
        guard found == sum else { return nil }
        offset = start + length + 4
        return start..<start + length
    }

    /// Decompresses the pixel data; returns nil unless it has exactly the given number of bytes.
    func unpacked(from bytes: Span<UInt8>, byteCount: Int) -> [UInt8]? {
        if data.count == dataByteCount { return PNGChunks.unpacked(bytes.extracting(data), byteCount: byteCount) }
        var packed: [UInt8] = []
        packed.reserveCapacity(dataByteCount)
        var offset = data.lowerBound - 8
        while offset < data.upperBound, let length = bytes.uint32(at: offset) {
            let payload = bytes.extracting(offset + 8..<offset + 8 + length)
            unsafe payload.withUnsafeBufferPointer { unsafe packed.append(contentsOf: $0) }
            offset += length + 12
        }
        return PNGChunks.unpacked(packed.span, byteCount: byteCount)
    }

    private static func unpacked(_ packed: Span<UInt8>, byteCount: Int) -> [UInt8]? {
        let rows = unsafe packed.withUnsafeBufferPointer { packed in
            // Either all bytes are written, or the array is discarded.
            unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { rows, count in
                let code = unsafe ccodecs_inflate_whole(packed.baseAddress, packed.count, rows.baseAddress, byteCount)
                count = code == .CCODECS_OK ? byteCount : 0
            }
        }
        return rows.isEmpty ? nil : rows
    }
}
