/// A walk through all chunks of a WebP, without decoding them (RFC 9649, section 2).
///
/// The orientation is read from an `EXIF` chunk; XMP is ignored.
struct WebPHeader {
    let header: ImageHeader
    /// The number of pixels of all frames together; 0 for a still image.
    let framePixels: Int
    /// The image, or the animation's first frame.
    let first: WebPAnimationFrame
    /// Whether there are frames, even a single one.
    let isAnimated: Bool
    /// The number of times that an animation is shown; 0 means forever.
    let loopCount: Int
    /// The range of an embedded colour profile in the file; nil if there is none.
    let iccProfile: Range<Int>?

    /// Returns the meaning of the samples.
    func colors(_ bytes: Span<UInt8>) -> ColorDescription { .profile(bytes, at: iccProfile) }

    static func read(_ bytes: Span<UInt8>) throws(ImageError) -> WebPHeader {
        var walk = Walk()
        var chunks = try RIFFChunks(fileOf: bytes)
        while let chunk = try chunks.next(bytes) { try walk.take(chunk, bytes) }
        guard let first = walk.first else { throw .corrupt(.webp, "no picture in it") }
        let canvas = walk.canvas ?? first.frame.size
        guard walk.isAnimated || first.frame.size == canvas else { throw .corrupt(.webp, "two sizes") }
        let header = ImageHeader(
            format: .webp, storedSize: canvas, orientation: walk.orientation ?? .up,
            hasAlpha: first.frame.hasAlpha || first.frame.size != canvas, frameCount: max(1, walk.frameCount))
        return WebPHeader(
            header: header, framePixels: walk.framePixels, first: first, isAnimated: walk.isAnimated,
            loopCount: walk.loopCount, iccProfile: walk.iccProfile)
    }

    private struct Walk {
        var canvas: PixelSize?
        var isAnimated = false
        var first: WebPAnimationFrame?
        var frameCount = 0
        var framePixels = 0
        var loopCount = 1
        var orientation: Orientation?
        var iccProfile: Range<Int>?
        private var chunkCount = 0

        mutating func take(_ chunk: RIFFChunks.Chunk, _ bytes: Span<UInt8>) throws(ImageError) {
            let payload = bytes.extracting(chunk.payload)
            func isA(_ type: String) -> Bool { bytes.starts(with: type, at: chunk.type) }
            chunkCount += 1
            if isA("VP8X"), chunkCount == 1 {
                try readCanvas(payload)
            } else if isA("ANIM"), isAnimated {
                loopCount = payload.uint16(at: 4, isLittleEndian: true) ?? 1
            } else if isA("ANMF"), isAnimated {
                try takeFrame(try WebPAnimationFrame.read(bytes, in: chunk.payload))
            } else if isA("VP8 ") || isA("VP8L") || isA("ALPH"), !isAnimated, first == nil {
                // The image begins here, since its alpha may be in a chunk before it.
                let image = try WebPFrame.read(bytes, in: (alphaStart ?? chunk.type)..<chunk.payload.upperBound)
                if let image { first = WebPAnimationFrame(image) } else { alphaStart = alphaStart ?? chunk.type }
            } else if isA("ICCP"), iccProfile == nil {
                iccProfile = chunk.payload
            } else if isA("EXIF"), orientation == nil {
                // Some programs write JPEG's prefix before the EXIF.
                orientation = EXIF.orientation(payload.starts(with: "Exif\0\0") ? payload.extracting(6...) : payload)
            }
        }

        private var alphaStart: Int?

        /// Reads flags, and two sides of 24 bits minus one (RFC 9649, section 2.7).
        private mutating func readCanvas(_ payload: Span<UInt8>) throws(ImageError) {
            guard let flags = payload.byte(at: 0), let width = payload.uint24(at: 4), let height = payload.uint24(at: 7)
            else { throw .corrupt(.webp, "a short header") }
            isAnimated = flags & 2 != 0
            canvas = PixelSize(width: width + 1, height: height + 1)
        }

        private mutating func takeFrame(_ frame: WebPAnimationFrame) throws(ImageError) {
            guard let canvas, frame.left + frame.frame.size.width <= canvas.width,
                frame.top + frame.frame.size.height <= canvas.height
            else { throw .corrupt(.webp, "a frame outside the canvas") }
            frameCount += 1
            framePixels += frame.frame.size.pixelCount
            if first == nil { first = frame }
        }
    }
}
