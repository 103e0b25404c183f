/// A frame of an animated WebP, and how it is shown (RFC 9649, section 2.7.1.1).
struct WebPAnimationFrame {
    let frame: WebPFrame
    var left = 0
    var top = 0
    var durationMilliseconds = 0
    /// Whether the frame is blended with the canvas, rather than replacing its content.
    var isBlended = false
    /// Whether the frame's area of the canvas is cleared after it has been shown.
    var isCleared = false

    /// Creates the single frame of a still image.
    init(_ image: WebPFrame) { frame = image }

    private init(_ image: WebPFrame, left: Int, top: Int, durationMilliseconds: Int, flags: UInt8) {
        frame = image
        self.left = left
        self.top = top
        self.durationMilliseconds = durationMilliseconds
        isBlended = flags & 2 == 0
        isCleared = flags & 1 != 0
    }

    /// Reads an `ANMF` chunk: position, size and duration in 24 bits each, flags, and chunks.
    static func read(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) -> WebPAnimationFrame {
        let header = bytes.extracting(range)
        guard let left = header.uint24(at: 0), let top = header.uint24(at: 3), let width = header.uint24(at: 6),
            let height = header.uint24(at: 9), let duration = header.uint24(at: 12), let flags = header.byte(at: 15),
            let image = try WebPFrame.read(bytes, in: range.dropFirst(16))
        else { throw .corrupt(.webp, "a frame without a picture") }
        guard image.size == PixelSize(width: width + 1, height: height + 1) else {
            throw .corrupt(.webp, "a frame of two sizes")
        }
        return WebPAnimationFrame(
            image, left: left * 2, top: top * 2, durationMilliseconds: duration, flags: flags)
    }
}
