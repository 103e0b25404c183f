/// An image format that is read, or would be if this build had its library; some are written, too.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case gif
    case webp
    /// High Efficiency Image Files, whatever the codec is, but for AVIF.
    case heic
    case avif

    /// The codec of the format. This is the registry: a new format is a case above, a line here and a folder in
    /// `Formats`.
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

    /// The media type, for an HTTP `Content-Type`.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without the dot.
    public var fileExtension: String { fileExtensions[0] }

    /// The extensions that names of such files have, in lower case and without the dot; the usual one is first.
    public var fileExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg"]
        case .heic: ["heic", "heif"]
        case .png, .gif, .webp, .avif: [rawValue]
        }
    }

    /// The format that a file has by the extension of its name; nil when it is none of ours.
    public init?(fileExtension: some StringProtocol) {
        let fileExtension = fileExtension.lowercased()
        guard let format = Self.allCases.first(where: { $0.fileExtensions.contains(fileExtension) }) else { return nil }
        self = format
    }

    /// The name that a person knows the format by.
    var name: String { codec.name }

    /// Tells the format from the first bytes, never from a name; nil when it is none of ours.
    public static func detect(_ bytes: Span<UInt8>) -> ImageFormat? {
        for format in allCases where format.codec.matches(bytes) { return format }
        return nil
    }

    /// The format of ours of whose signature there is no more than the beginning.
    static func ofCutSignature(_ bytes: Span<UInt8>) -> ImageFormat? {
        // The letter G, or a byte of 255, may be anything.
        guard bytes.byte(at: 0) == 0x89 || bytes.count > 1 else { return nil }
        for format in allCases {
            for signature in format.codec.signatures where bytes.count < signature.count {
                if signature.starts(with: (0..<bytes.count).map { bytes[$0] }) { return format }
            }
        }
        return nil
    }
}
