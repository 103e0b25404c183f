/// A picture format that is read and, but for GIF, written.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case gif

    /// The media type, for an HTTP `Content-Type`.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Tells the format from the first bytes, never from a name; nil when it is none of ours.
    public static func detect(_ bytes: Span<UInt8>) -> ImageFormat? {
        if bytes.byte(at: 0) == 0xFF, bytes.byte(at: 1) == 0xD8, bytes.byte(at: 2) == 0xFF { return .jpeg }
        if bytes.byte(at: 0) == 0x89, bytes.starts(with: "PNG\r\n\u{1A}\n", at: 1) { return .png }
        if bytes.starts(with: "GIF87a") || bytes.starts(with: "GIF89a") { return .gif }
        return nil
    }
}

extension ImageFormat {
    /// The name that a person knows it by.
    var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .gif: "GIF"
        }
    }
}
