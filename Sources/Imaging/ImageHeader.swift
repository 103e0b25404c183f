/// The header of an image, read and held against the limits before anything is allocated for the image.
public struct ImageHeader: Sendable, Hashable {
    /// The format that the bytes have.
    public let format: ImageFormat
    /// The size as stored, before the orientation is applied; of a GIF, its canvas.
    public let storedSize: PixelSize
    /// The turn that makes the stored image stand upright.
    public let orientation: Orientation
    /// Whether pixels may be transparent.
    ///
    /// The size in pixels; for a GIF, that of the first frame and of the canvas that it leaves uncovered.
    public let hasAlpha: Bool
    /// The number of frames; 1 for a still image.
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
            if let format = ImageFormat.ofCutSignature(bytes) { throw .truncated(format) }
            throw .unsupported(UnsupportedFormat.name(of: bytes))
        }
        let codec = format.codec
        if let library = codec.missingLibrary { throw .missing(library, for: format) }
        let found = try codec.readHeader(bytes, limits: limits)
        guard found.header.storedSize.width > 0, found.header.storedSize.height > 0 else {
            throw .corrupt(format, "its size is \(found.header.storedSize)")
        }
        try limits.check(found)
        return found.header
    }
}
