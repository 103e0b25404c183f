/// What a picture says of itself, read and judged before anything is allocated for it.
public struct ImageHeader: Sendable, Hashable {
    /// The format that the bytes have.
    public let format: ImageFormat
    /// The size as stored, before the orientation is applied; of a GIF, its canvas.
    public let storedSize: PixelSize
    /// How the stored picture is turned to stand upright.
    public let orientation: Orientation
    /// Whether pixels may be transparent.
    ///
    /// Of a GIF, the first frame's pixels, and the canvas that it leaves uncovered.
    public let hasAlpha: Bool
    /// How many frames an animation has, of which only the first is ever rendered; 1 for a still picture.
    public let frameCount: Int

    package init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation, hasAlpha: Bool, frameCount: Int
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.frameCount = frameCount
    }

    /// The upright size, as people see it.
    public var size: PixelSize { orientation.applied(to: storedSize) }
}

extension ImageHeader {
    /// Reads the header from a file's bytes and holds it against the limits.
    ///
    /// Walks over the file's structure and decodes nothing; allocates nothing but a refusal's text.
    /// - Throws: `ImageError`, with any code but `badRecipe`.
    public static func read(
        _ bytes: Span<UInt8>, limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> ImageHeader {
        try limits.check(byteCount: bytes.count)
        guard let format = ImageFormat.detect(bytes) else {
            if let format = ForeignFormat.cut(bytes) { throw .truncated(format) }
            throw .unsupported(ForeignFormat.name(of: bytes))
        }
        if let library = format.missingLibrary { throw .missing(library, for: format) }
        switch format {
        case .jpeg:
            return try judged(try JPEGHeader.read(bytes), limits: limits)
        case .png:
            return try judged(try PNGHeader.read(bytes), limits: limits)
        case .gif:
            let walk = try GIFHeader.read(bytes, acceptsTruncated: limits.acceptsTruncated)
            return try judged(walk.header, framePixels: walk.framePixels, limits: limits)
        case .webp:
            let walk = try WebPHeader.read(bytes)
            return try judged(walk.header, framePixels: walk.framePixels, limits: limits)
        case .heic, .avif:
            let walk = try HEIFHeader.read(bytes, format: format)
            let header = try judged(walk.header, limits: limits)
            try walk.check(limits)
            return header
        }
    }

    private static func judged(
        _ header: ImageHeader, framePixels: Int = 0, limits: ImageLimits
    ) throws(ImageError) -> ImageHeader {
        guard header.storedSize.width > 0, header.storedSize.height > 0 else {
            throw .corrupt(header.format, "its size is \(header.storedSize)")
        }
        try limits.check(header, framePixels: framePixels)
        return header
    }
}
