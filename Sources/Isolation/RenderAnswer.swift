import Imaging

/// A worker's answer to a request. Its renditions are in the shared memory, one after the other.
enum RenderAnswer: Sendable, Hashable {
    /// A rendition without its bytes.
    struct Piece: Sendable, Hashable {
        let format: ImageFormat
        let size: PixelSize
        let offset: Int
        let byteCount: Int
    }

    /// The rendered image without the renditions' bytes.
    struct Summary: Sendable, Hashable {
        let header: ImageHeader
        let pieces: [Piece]
        let placeholder: [UInt8]
        let color: RGBColor
        let warnings: [ImageWarning]
    }

    case rendered(Summary)
    case refused(ImageError)
    /// The file cannot be read; the value is that of `errno`.
    case unreadable(Int32)
}

// MARK: - Encoding

extension RenderAnswer {
    private static let maxTextBytes = 2000

    /// The encoded answer to the request with a number.
    func message(to number: Int) -> [UInt8] {
        var writer = MessageWriter()
        writer.append(number)
        switch self {
        case .rendered(let summary):
            writer.append(0)
            summary.write(to: &writer)
        case .refused(let error):
            writer.append(1)
            for text in [error.code.rawValue, error.message, error.hint] {
                writer.append(Array(text.utf8.prefix(Self.maxTextBytes)))
            }
        case .unreadable(let code):
            writer.append(2)
            writer.append(Int(code))
        }
        return writer.bytes
    }

    /// Decodes a worker's answer to a request, and throws for values that are impossible.
    init(_ message: ArraySlice<UInt8>, to request: RenderRequest) throws(MalformedMessage) {
        var reader = MessageReader(message)
        _ = try reader.integer("number", in: request.number...request.number)
        switch try reader.integer("kind of answer", in: 0...2) {
        case 0: self = .rendered(try Summary(&reader, to: request))
        case 1: self = .refused(try Self.refusal(&reader))
        default: self = .unreadable(Int32(try reader.integer("error number", in: 1...4095)))
        }
        try reader.finish()
    }

    private static func refusal(_ reader: inout MessageReader) throws(MalformedMessage) -> ImageError {
        let code = ImageError.Code(rawValue: try reader.text("code", maxCount: 40))
        let message = try reader.text("message", maxCount: maxTextBytes)
        let hint = try reader.text("hint", maxCount: maxTextBytes)
        guard rendererCodes.contains(code) else { throw MalformedMessage(what: "an unknown code") }
        return ImageError(code, printable(message), hint: printable(hint))
    }

    /// The codes with which the renderer may refuse an image.
    private static let rendererCodes: Set<ImageError.Code> = [
        .empty, .unsupportedFormat, .tooLargeBytes, .tooManyPixels, .sideTooLong, .tooManyFrames, .tooManyScans,
        .tooMuchMemory, .truncated, .corrupt, .badRecipe, .outOfMemory,
    ]

    /// The text without control characters, which could manipulate a terminal.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
