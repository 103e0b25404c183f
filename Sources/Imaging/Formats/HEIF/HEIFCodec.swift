/// The codec for HEIC and AVIF (ISO/IEC 23008-12): libavcodec, libde265 and libdav1d decode; libaom encodes AVIF.
struct HEIFCodec: ImageCodec {
    /// `heic` or `avif`, as the brands of a file specify.
    let format: ImageFormat
    /// Empty, since a file begins with the length of its first box.
    let signatures: [[UInt8]] = []

    #if HEIF
        let missingLibrary: String? = nil
    #else
        let missingLibrary: String? = "libde265 and libdav1d"
    #endif

    var name: String { format == .avif ? "AVIF" : "HEIC" }

    /// The brands of AVIF, which takes precedence in a file with brands of both.
    private static let avifBrands = ["avif", "avis"]

    /// The brands of HEVC, those that name no codec, and those of codecs that are recognised but not decoded: JPEG,
    /// H.264, JPEG 2000, JPEG XS, VVC and EVC (ISO/IEC 23008-12, clause 10 and the annexes).
    private static let heifBrands = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1", "miaf", "jpeg", "avci", "j2ki", "jxsi",
        "vvic", "evbi", "evmi",
    ]

    /// Whether the file's first box has a brand of the format (ISO/IEC 14496-12, 4.3). The brand `mif1` means only that
    /// the file contains images.
    func matches(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.starts(with: "ftyp", at: 4) else { return false }
        let end = min(bytes.uint32(at: 0) ?? 0, 256)
        let brands = stride(from: 8, to: end, by: 4).filter { $0 != 12 }  // the second field is a version
        func hasBrand(_ names: [String]) -> Bool {
            brands.contains { offset in names.contains { bytes.starts(with: $0, at: offset) } }
        }
        let isAVIF = hasBrand(HEIFCodec.avifBrands)
        return format == .avif ? isAVIF : !isAVIF && hasBrand(HEIFCodec.heifBrands)
    }

    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader {
        let found = try HEIFHeader.read(bytes, format: format)
        return CodecHeader(
            header: found.header, tilePixels: [found.image.codedPixels, found.alpha?.codedPixels ?? 0])
    }

    /// The maximum number of boxes that are read to find the end of a file.
    private static let maxBoxes = 64

    /// Whether the boxes, each of which specifies its length (ISO/IEC 14496-12, 4.2), end with the file; there is no
    /// trailer.
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool? {
        guard file.head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        var offset = 0
        for _ in 0..<HEIFCodec.maxBoxes {
            guard let header = try? read(offset, 16), header.count >= 8 else { return false }
            var size = UInt64(header.prefix(4).reduce(0) { $0 << 8 | UInt64($1) })
            if size == 1, header.count == 16 { size = header[8...].reduce(0) { $0 << 8 | UInt64($1) } }
            // A box of size 0 extends to the end, wherever that is, so nothing can be concluded.
            guard size >= 8, let length = Int(exactly: size), length <= file.byteCount - offset else { return false }
            offset += length
            if offset == file.byteCount { return true }
        }
        return false
    }

    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages {
        #if HEIF
            try HEIFDecoding(header: HEIFHeader.read(bytes, format: format), reader: reader).decode(bytes)
        #else
            throw .missing("libde265 and libdav1d", for: format)
        #endif
    }
}
