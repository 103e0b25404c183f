/// The limits on the cost of an image, checked on its header before anything is allocated, and whether its data may be
/// incomplete.
///
/// The hint of an error names the limit by its setting (`max-pixels`).
public struct ImageLimits: Sendable, Hashable {
    /// The maximum size of the input, in bytes.
    public var maxInputBytes: Int
    /// The maximum number of pixels in the image, or in an animation's canvas.
    public var maxPixels: Int
    /// The maximum number of pixels in a PNG or a GIF, which are decoded at full size however small the renditions are.
    public var maxLosslessPixels: Int
    /// The maximum length of a side, in pixels.
    public var maxSide: Int
    /// The maximum number of pixels in all frames of an animation together, whether or not they are decoded.
    public var maxFramePixels: Int
    /// The maximum memory for images that cannot be decoded row by row (see `Renderer`), in bytes.
    public var maxWorkingBytes: Int
    /// The maximum number of scans of a JPEG: each costs as much as a whole image.
    public var maxScans: Int
    /// The maximum number of pixels in all scans of a JPEG together, which bounds the time of decoding.
    public var maxScanPixels: Int
    /// Whether data that ends too early, after its first pixels, is rendered with a warning however much of it is
    /// missing; otherwise this is so only if a tenth of the image is missing at most.
    ///
    /// The missing part is grey, or transparent if the image has alpha. An incomplete interlaced PNG or GIF is refused,
    /// because its pixels are scattered.
    public var acceptsTruncated: Bool

    /// Creates limits; the defaults admit every photo of today's cameras.
    public init(
        maxInputBytes: Int = 64 * 1_048_576, maxPixels: Int = 250_000_000, maxLosslessPixels: Int = 50_000_000,
        maxSide: Int = 30_000, maxFramePixels: Int = 200_000_000, maxWorkingBytes: Int = 640 * 1_048_576,
        maxScans: Int = 100, maxScanPixels: Int = 5_000_000_000, acceptsTruncated: Bool = false
    ) {
        self.maxInputBytes = maxInputBytes
        self.maxPixels = maxPixels
        self.maxLosslessPixels = maxLosslessPixels
        self.maxSide = maxSide
        self.maxFramePixels = maxFramePixels
        self.maxWorkingBytes = maxWorkingBytes
        self.maxScans = maxScans
        self.maxScanPixels = maxScanPixels
        self.acceptsTruncated = acceptsTruncated
    }
}

extension ImageLimits {
    func check(byteCount: Int) throws(ImageError) {
        guard byteCount > 0 else {
            throw ImageError(.empty, "there are no bytes", hint: "Send the picture's bytes.")
        }
        guard byteCount <= maxInputBytes else {
            throw ImageError(
                .tooLargeBytes, "\(byteCount) bytes are too many; the limit is \(maxInputBytes)",
                hint: ImageLimits.hint("Send a smaller file", "max-bytes"))
        }
    }

    func check(_ found: CodecHeader) throws(ImageError) {
        try check(found.header, framePixels: found.framePixels)
        for pixels in found.tilePixels where pixels > maxPixels {
            throw tooManyPixels("its tiles have", pixels, maxPixels: maxPixels, setting: "max-pixels")
        }
    }

    func check(_ header: ImageHeader, framePixels: Int) throws(ImageError) {
        let size = header.storedSize
        try check(size, maxPixels: maxPixels, setting: "max-pixels")
        if header.format.codec.decodesEveryPixel {
            try check(
                size, maxPixels: maxLosslessPixels, of: " in a \(header.format.name)", setting: "max-lossless-pixels")
        }
        guard max(size.width, size.height) <= maxSide else {
            throw ImageError(
                .sideTooLong, "\(size) pixels: a side is longer than the limit of \(maxSide)",
                hint: ImageLimits.hint("Send a smaller picture, or a part of it", "max-side"))
        }
        guard framePixels <= maxFramePixels else {
            throw ImageError(
                .tooManyFrames,
                "\(header.frameCount == 1 ? "its frame has" : "\(header.frameCount) frames have") \(megapixels(framePixels)); the limit is \(megapixels(maxFramePixels))",
                hint: ImageLimits.hint("Send a shorter or a smaller animation", "max-frame-pixels"))
        }
    }

    /// - Parameter kind: The images that the limit applies to, as a part of the message; empty for all.
    func check(_ size: PixelSize, maxPixels: Int, of kind: String = "", setting: String) throws(ImageError) {
        guard size.pixelCount <= maxPixels else {
            throw tooManyPixels("\(size) pixels are", size.pixelCount, maxPixels: maxPixels, of: kind, setting: setting)
        }
    }

    func tooManyPixels(
        _ what: String, _ count: Int, maxPixels: Int, of kind: String = "", setting: String
    ) -> ImageError {
        ImageError(
            .tooManyPixels, "\(what) \(megapixels(count)); the limit\(kind) is \(megapixels(maxPixels))",
            hint: ImageLimits.hint("Send a smaller picture", setting))
    }

    /// The maximum number of scans of a JPEG of a size.
    func scanCount(for size: PixelSize) -> Int { min(maxScans, maxScanPixels / max(1, size.pixelCount)) }

    /// Creates a hint that advises the sender, and names the setting that an operator would raise.
    static func hint(_ advice: String, _ setting: String) -> String {
        "\(advice), or ask the operator of the service to raise \(setting)."
    }

    private func megapixels(_ pixelCount: Int) -> String {
        pixelCount < 1_000_000 ? "\(pixelCount) pixels" : "\(pixelCount / 1_000_000) megapixels"
    }
}
