internal import CCodecs

/// Decodes all frames of a GIF.
struct GIFAnimationDecoder: AnimationDecoder, ~Copyable {
    private var file: LibGIFFile
    /// Whether there is a frame whose pixels were not read yet.
    private var hasFrame = true
    let loopCount: Int

    /// Reads up to the first frame's pixels.
    ///
    /// The bytes are borrowed: they must outlive the decoder.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, loopCount: Int, limits: ImageLimits) throws(ImageError) {
        file = try unsafe LibGIFFile(bytes, limits: limits)
        self.loopCount = loopCount
    }

    mutating func layNext(on canvas: inout AnimationCanvas, from bytes: Span<UInt8>) throws(ImageError) -> Int? {
        guard hasFrame else { return nil }
        let frame = file.frame
        let (left, top) = (Int(frame.left), Int(frame.top))
        let size = PixelSize(width: Int(frame.width), height: Int(frame.height))
        canvas.begin(left: left, top: top, size: size, disposal: disposal)
        if size.width > 0 {
            let colors = frame.colors
            let wide = try wideIndices(size, bytes)
            var indices = [UInt8](repeating: 0, count: size.width)
            var row = [UInt8](repeating: 0, count: size.width * 4)
            for (number, y) in frame.storedRows.enumerated() {
                if let wide {
                    let start = GIFPixels.offset + number * size.width
                    indices = Array(wide[start..<start + size.width])
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
        hasFrame = try file.next()
        return duration
    }

    /// Reads all of a frame that giflib cannot read; nil of others.
    private func wideIndices(_ size: PixelSize, _ bytes: Span<UInt8>) throws(ImageError) -> [UInt8]? {
        guard file.frame.has_wide_codes, size.pixelCount > 0 else { return nil }
        guard size.pixelCount <= GIFPixels.maxBytes,
            let pixels = GIFPixels.read(bytes, at: file.dataOffset, count: size.pixelCount)
        else { throw .corrupt(.gif, "codes of more than 8 bits") }
        return pixels
    }

    /// The duration in milliseconds; one that is too short to be meant is a tenth of a second, as browsers have it.
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
        func decodeFrames(_ bytes: Span<UInt8>, with renderer: AnimationRenderer) throws(ImageError) -> Rendition {
            let limits = renderer.limits
            let loopCount = try GIFHeader.read(bytes, acceptsTruncated: limits.acceptsTruncated).loopCount
            return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
                let decoder = try unsafe GIFAnimationDecoder(buffer, loopCount: loopCount, limits: limits)
                return try unsafe renderer.encode(buffer.span, by: decoder, colors: .standard)
            }
        }
    }
#endif
