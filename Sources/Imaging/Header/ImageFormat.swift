/// A picture format that is read, or would be if this build had its library; some are written, too.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case gif
    case webp
    /// High Efficiency Image Files, whatever the codec is, but for AVIF.
    case heic
    case avif

    /// The media type, for an HTTP `Content-Type`.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Tells the format from the first bytes, never from a name; nil when it is none of ours.
    public static func detect(_ bytes: Span<UInt8>) -> ImageFormat? {
        if bytes.byte(at: 0) == 0xFF, bytes.byte(at: 1) == 0xD8, bytes.byte(at: 2) == 0xFF { return .jpeg }
        if bytes.byte(at: 0) == 0x89, bytes.starts(with: "PNG\r\n\u{1A}\n", at: 1) { return .png }
        if bytes.starts(with: "GIF87a") || bytes.starts(with: "GIF89a") { return .gif }
        if bytes.starts(with: "RIFF"), bytes.starts(with: "WEBP", at: 8) { return .webp }
        return bytes.starts(with: "ftyp", at: 4) ? detectBrand(bytes) : nil
    }

    /// HEVC's, those that name no codec, and those of codecs that we do not decode, but name: JPEG, H.264, JPEG 2000, JPEG
    /// XS, VVC and EVC (ISO/IEC 23008-12, clause 10 and the annexes).
    private static let heifBrands = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1", "miaf", "jpeg", "avci", "j2ki", "jxsi",
        "vvic", "evbi", "evmi",
    ]

    /// ISO base media files tell themselves apart by the brands in their first box (ISO/IEC 14496-12, 4.3), of which
    /// `mif1` says no more than that there are pictures.
    private static func detectBrand(_ bytes: Span<UInt8>) -> ImageFormat? {
        let end = min(bytes.uint32(at: 0) ?? 0, 256)
        let brands = stride(from: 8, to: end, by: 4).filter { $0 != 12 }  // the second is a version
        func hasBrand(_ names: [String]) -> Bool {
            brands.contains { offset in names.contains { bytes.starts(with: $0, at: offset) } }
        }
        if hasBrand(["avif", "avis"]) { return .avif }
        return hasBrand(heifBrands) ? .heic : nil
    }
}

extension ImageFormat {
    /// The name that a person knows it by.
    var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .gif: "GIF"
        case .webp: "WebP"
        case .heic: "HEIC"
        case .avif: "AVIF"
        }
    }

    /// The library without which this build cannot read it; nil if all is there.
    var missingLibrary: String? {
        switch self {
        case .jpeg, .png, .gif: return nil
        case .webp:
            #if WebP
                return nil
            #else
                return "libwebp"
            #endif
        case .heic, .avif:
            #if HEIF
                return nil
            #else
                return "libde265 and libdav1d"
            #endif
        }
    }
}
