/// A canvas on which an animation's frames are drawn, one after the other.
struct AnimationCanvas {
    /// The treatment of a frame's area before the next frame is drawn.
    enum Disposal {
        case keep
        /// The area becomes transparent, as in browsers, whatever background the file specifies.
        case clear
        /// The area is restored to its content before the frame.
        case restore
    }

    /// The current picture, in premultiplied RGBA.
    private(set) var pixels: PixelBuffer
    private var disposal = Disposal.keep
    private var area: (columns: Range<Int>, rows: Range<Int>) = (0..<0, 0..<0)
    private var before: PixelBuffer?

    init(_ size: PixelSize) { pixels = PixelBuffer(size: size, channels: 4) }

    /// Disposes of the last frame and prepares for the next one; a part of the frame outside the canvas is cut off.
    mutating func begin(left: Int, top: Int, size: PixelSize, disposal: Disposal) {
        switch self.disposal {
        case .keep: break
        case .clear: clear()
        case .restore: if let before { pixels = before }
        }
        area = (
            (left..<left + size.width).clamped(to: 0..<pixels.size.width),
            (top..<top + size.height).clamped(to: 0..<pixels.size.height)
        )
        before = disposal == .restore ? pixels : nil
        self.disposal = disposal
    }

    private mutating func clear() {
        for y in area.rows {
            let start = y * pixels.bytesPerRow
            for byte in start + area.columns.lowerBound * 4..<start + area.columns.upperBound * 4 {
                pixels.bytes[byte] = 0
            }
        }
    }

    /// Draws a row of the frame: premultiplied RGBA from column `left` on, blended with the canvas or replacing it.
    mutating func lay(_ row: Span<UInt8>, left: Int, y: Int, isBlended: Bool) {
        guard area.rows.contains(y) else { return }
        let (start, columns) = (y * pixels.bytesPerRow, area.columns)
        var canvas = pixels.bytes.mutableSpan
        for x in columns {
            let (source, target) = ((x - left) * 4, start + x * 4)
            let transparency = isBlended ? 255 - Int(row[source + 3]) : 0
            for channel in 0..<4 {
                let behind = (Int(canvas[target + channel]) * transparency + 127) / 255
                canvas[target + channel] = UInt8(min(255, Int(row[source + channel]) + behind))
            }
        }
    }
}
