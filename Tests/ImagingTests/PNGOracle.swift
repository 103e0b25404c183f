@testable import Imaging

/// The two PNG decoders that are compared with each other.
enum PNGOracle {
    /// Returns the planes from our decoder; nil if it leaves the image to libpng.
    static func ours(_ bytes: [UInt8]) throws(ImageError) -> DecodedPlanes? {
        guard let header = try? ImageHeader.read(bytes.span), header.format == .png,
            let decoder = WholePNGDecoder(bytes.span, header: header, limits: ImageLimits())
        else { return nil }
        return try DecodedPlanes(decoder, from: bytes.span)
    }

    /// Returns the planes from libpng.
    static func theirs(_ bytes: [UInt8]) throws(ImageError) -> DecodedPlanes {
        let header = try ImageHeader.read(bytes.span)
        return try bytes.span.withUnsafeBufferPointer { buffer throws(ImageError) in
            let decoder = try LibPNGDecoder(buffer, header: header, limits: ImageLimits())
            return try DecodedPlanes(DeinterleavingDecoder(decoder), from: buffer.span)
        }
    }

    /// Returns the first disagreement: if ours accepts an image, libpng must accept it too, and both must give the same
    /// planes.
    static func disagreement(on bytes: [UInt8]) -> String? {
        guard (try? ImageHeader.read(bytes.span, limits: ImageLimits(maxPixels: 100_000))) != nil,
            let ours = try? ours(bytes)
        else { return nil }
        guard let theirs = try? theirs(bytes) else { return "libpng refuses it" }
        return ours == theirs ? nil : "the samples"
    }
}

extension [UInt8] {
    /// Creates a PNG of filtered rows, stored without compression (RFC 1950, RFC 1951, section 3.2.4).
    init(pngOf rows: [UInt8], width: Int, height: Int, colorType: UInt8) {
        let size = [0, 0, UInt8(width >> 8), UInt8(width & 255), 0, 0, UInt8(height >> 8), UInt8(height & 255)]
        let (low, high) = rows.reduce((1, 0)) { sums, byte in
            let low = (sums.0 + Int(byte)) % 65521
            return (low, (sums.1 + low) % 65521)
        }
        let count = [UInt8(rows.count & 255), UInt8(rows.count >> 8)]
        let packed =
            [0x78, 0x01, 0x01] + count + count.map { ~$0 } + rows
            + [UInt8(high >> 8), UInt8(high & 255), UInt8(low >> 8), UInt8(low & 255)]
        self = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let half = packed.count / 2
        let chunks = [
            ("IHDR", size + [8, colorType, 0, 0, 0]), ("IDAT", Array(packed[..<half])),
            ("IDAT", Array(packed[half...])), ("IEND", []),
        ]
        for (name, payload) in chunks {
            self +=
                [0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + Array(name.utf8) + payload + [
                    0, 0, 0, 0,
                ]
        }
        repairChecksums()
    }

    /// Updates the checksum of every chunk, up to the first bytes that are not a chunk.
    mutating func repairChecksums() {
        var offset = 8
        while let length = span.uint32(at: offset), offset + 12 + length <= count {
            let sum = Self.checksum(self[offset + 4..<offset + 8 + length])
            for index in 0..<4 {
                self[offset + 8 + length + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index))
            }
            offset += 12 + length
        }
    }

    /// Returns the CRC-32, calculated bit by bit (PNG specification, annex D).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
        return ~sum
    }
}
