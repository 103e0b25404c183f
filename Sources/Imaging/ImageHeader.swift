/// The header of an image, read and checked against the limits before anything is allocated for the image.
public struct ImageHeader: Sendable, Hashable {
    /// The format of the bytes.
    public let format: ImageFormat
    /// The size in pixels as stored, before the orientation is applied; for a GIF, the size of its canvas.
    public let storedSize: PixelSize
    /// The rotation and mirroring that turn the stored image upright.
    public let orientation: Orientation
    /// Whether pixels may be transparent.
    ///
    /// For a GIF: pixels of the first frame, or of the canvas that the frame leaves uncovered.
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

    /// The size in pixels of the upright image.
    public var size: PixelSize { orientation.applied(to: storedSize) }
}

extension ImageHeader {
    /// Reads the header from a file's bytes and checks it against the limits.
    ///
    /// The method walks through the file's structure and decodes no pixels. It allocates nothing but the text of an
    /// error, and may be called on any thread.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the whole file.
    ///   - limits: The limits of the image's size and cost.
    /// - Throws: `ImageError`, with any code except `badRecipe`.
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
