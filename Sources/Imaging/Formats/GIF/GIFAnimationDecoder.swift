internal import CCodecs

/// Decodes all frames of a GIF.
struct GIFAnimationDecoder: AnimationDecoder, ~Copyable {
    private var file: LibGIFFile
    /// The number of complete frames that have not been drawn yet.
    private var framesLeft: Int
    let loopCount: Int
    private(set) var warning: ImageWarning?

    /// Reads up to the first frame's pixels.
    ///
    /// The bytes are borrowed and must outlive the decoder.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, header: GIFHeader, limits: ImageLimits) throws(ImageError) {
        file = try unsafe LibGIFFile(bytes, limits: limits)
        framesLeft = header.header.frameCount
        loopCount = header.loopCount
    }

    mutating func layNext(on canvas: inout AnimationCanvas, from bytes: Span<UInt8>) throws(ImageError) -> Int? {
        guard framesLeft > 0 else { return nil }
        let frame = file.frame
        let (left, top, size) = (Int(frame.left), Int(frame.top), frame.size)
        let pixels: GIFPixels?
        do throws(ImageError) {
            pixels = try readPixels(size, bytes)
        } catch {
            // A truncated animation ends before the incomplete frame.
            guard error.code == .truncated else { throw error }
            (framesLeft, warning) = (0, .truncated)
            return nil
        }
        canvas.begin(left: left, top: top, size: size, disposal: disposal)
        if size.width > 0 {
            let colors = frame.colors
            var indices = [UInt8](repeating: 0, count: size.width)
            var row = [UInt8](repeating: 0, count: size.width * 4)
            for (number, y) in frame.storedRows.enumerated() {
                if let pixels {
                    // A missing row leaves the canvas unchanged.
                    guard number < pixels.rowCount else { continue }
                    let start = GIFPixels.offset + number * size.width
                    indices = Array(pixels.indices[start..<start + size.width])
                } else {
                    try file.readLine(to: &indices, at: 0, count: size.width)
                }
                for (x, index) in indices.enumerated() {
                    let color = colors[Int(index)]
                    for channel in 0..<4 {
                        row[x * 4 + channel] = UInt8(truncatingIfNeeded: color >> (16 * UInt64(channel)))
                    }
                }
                canvas.lay(row.span, left: left, y: top + y, isBlended: true)
            }
        }
        let duration = GIFAnimationDecoder.milliseconds(Int(frame.delay_centiseconds))
        framesLeft -= 1
        if framesLeft > 0, try !file.next() { framesLeft = 0 }
        return duration
    }

    /// Decodes a frame with our own decoder; returns nil if the frame must be decoded by giflib.
    private mutating func readPixels(_ size: PixelSize, _ bytes: Span<UInt8>) throws(ImageError) -> GIFPixels? {
        guard let pixels = try file.pixels(bytes, maxBytes: GIFPixels.maxBytes) else { return nil }
        try pixels.check(acceptsTruncated: false)
        warning = warning ?? pixels.warning
        return pixels
    }

    /// The duration in milliseconds; a duration of less than 20 ms counts as 100 ms, as in browsers.
    private static func milliseconds(_ centiseconds: Int) -> Int { centiseconds < 2 ? 100 : centiseconds * 10 }

    private var disposal: AnimationCanvas.Disposal {
        switch file.frame.disposal {
        case 2: .clear
        case 3: .restore
        default: .keep
        }
    }
}

#if WebP
    extension GIFCodec: AnimationCodec {
        func decodeFrames(
            _ bytes: Span<UInt8>, with renderer: AnimationRenderer
        ) throws(ImageError) -> AnimatedRendition {
            let (header, limits) = (try GIFHeader.read(bytes), renderer.limits)
            return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
                let decoder = try unsafe GIFAnimationDecoder(buffer, header: header, limits: limits)
                return try unsafe renderer.encode(buffer.span, by: decoder, colors: .standard)
            }
        }
    }
#endif
