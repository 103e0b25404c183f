/// An image format that can be read, if this build has its library; some can be written, too.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case gif
    case webp
    /// A High Efficiency Image File with any codec except AVIF's.
    case heic
    case avif

    /// The codec of the format.
    ///
    /// This is the registry: a new format needs a case above, a line here and a folder in `Formats`.
    var codec: any ImageCodec {
        switch self {
        case .jpeg: JPEGCodec()
        case .png: PNGCodec()
        case .gif: GIFCodec()
        case .webp: WebPCodec()
        case .heic: HEIFCodec(format: .heic)
        case .avif: HEIFCodec(format: .avif)
        }
    }

    /// The media type, as in an HTTP `Content-Type`.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without the dot.
    public var fileExtension: String { fileExtensions[0] }

    /// The file extensions of the format, in lower case and without the dot; the usual one is first.
    public var fileExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg"]
        case .heic: ["heic", "heif"]
        case .png, .gif, .webp, .avif: [rawValue]
        }
    }

    /// Creates the format for a file extension, without the dot and in any case; nil if it is of no supported format.
    public init?(fileExtension: some StringProtocol) {
        let fileExtension = fileExtension.lowercased()
        guard let format = Self.allCases.first(where: { $0.fileExtensions.contains(fileExtension) }) else { return nil }
        self = format
    }

    /// The name of the format as people know it.
    var name: String { codec.name }

    /// Returns the format that a file's first bytes identify; nil if it is none of these formats.
    ///
    /// At most the first 256 bytes are examined. The format may be one whose library this build lacks.
    public static func detect(_ bytes: Span<UInt8>) -> ImageFormat? {
        for format in allCases where format.codec.matches(bytes) { return format }
        return nil
    }

    /// Returns the format of a file that ends within its signature.
    ///
    /// - Parameter bytes: The whole file.
    /// - Returns: The format; nil if no signature begins with these bytes, or if they are a single byte that files of
    ///   other kinds may also have.
    static func ofCutSignature(_ bytes: Span<UInt8>) -> ImageFormat? {
        // A single byte other than PNG's first may be anything, even "G" or 255.
        guard bytes.byte(at: 0) == 0x89 || bytes.count > 1 else { return nil }
        for format in allCases {
            for signature in format.codec.signatures where bytes.count < signature.count {
                if signature.starts(with: (0..<bytes.count).map { bytes[$0] }) { return format }
            }
        }
        return nil
    }
}
