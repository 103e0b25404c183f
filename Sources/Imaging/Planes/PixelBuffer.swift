/// A decoded image: rows from the top, `channels` interleaved bytes per pixel.
struct PixelBuffer: Sendable, Hashable {
    let size: PixelSize
    /// The number of channels: 1 is grey; 3 is RGB; 4 is RGB multiplied by alpha, and alpha.
    let channels: Int
    var bytes: [UInt8]

    var hasAlpha: Bool { channels == 4 }
    var bytesPerRow: Int { size.width * channels }

    init(size: PixelSize, channels: Int, bytes: [UInt8]) {
        self.size = size
        self.channels = channels
        self.bytes = bytes
    }

    /// Creates a buffer of zeros.
    init(size: PixelSize, channels: Int) {
        self.init(size: size, channels: channels, bytes: [UInt8](repeating: 0, count: size.pixelCount * channels))
    }

    /// Returns the image at its position on a larger canvas, which is transparent elsewhere; itself if it is as large.
    func laid(left: Int, top: Int, on canvas: PixelSize) -> PixelBuffer {
        guard size != canvas else { return self }
        var result = PixelBuffer(size: canvas, channels: 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (source, target) = (y * size.width + x, (y + top) * canvas.width + x + left)
                for channel in 0..<4 {
                    // Grey has one channel for three colours.
                    let taken = channels == 1 && channel < 3 ? 0 : channel
                    result.bytes[target * 4 + channel] = taken < channels ? bytes[source * channels + taken] : 255
                }
            }
        }
        return result
    }

    /// Returns the image in the middle of a larger canvas, which is transparent elsewhere.
    func centered(on canvas: PixelSize) -> PixelBuffer {
        laid(left: (canvas.width - size.width) / 2, top: (canvas.height - size.height) / 2, on: canvas)
    }

    /// Returns the image on a plain background; itself if it has no alpha.
    func flattened(on background: RGBColor) -> PixelBuffer {
        guard hasAlpha else { return self }
        let color = [Int(background.red), Int(background.green), Int(background.blue)]
        var result = PixelBuffer(size: size, channels: 3)
        for pixel in 0..<size.pixelCount {
            let transparency = 255 - Int(bytes[pixel * 4 + 3])
            for channel in 0..<3 {
                let behind = (color[channel] * transparency + 127) / 255
                result.bytes[pixel * 3 + channel] = UInt8(min(255, Int(bytes[pixel * 4 + channel]) + behind))
            }
        }
        return result
    }

    /// The mean of all pixels, weighted by alpha; white if all are transparent.
    var meanColor: RGBColor {
        var sum = SIMD4<Int>.zero
        for start in stride(from: 0, to: bytes.count, by: channels) {
            let color = (0..<3).map { Int(bytes[start + (channels == 1 ? 0 : $0)]) }
            sum &+= SIMD4(color[0], color[1], color[2], hasAlpha ? Int(bytes[start + 3]) : 255)
        }
        guard sum.w > 0 else { return .white }
        let mean = (sum &* 255 &+ sum.w / 2) / sum.w
        return RGBColor(
            red: UInt8(clamping: mean.x), green: UInt8(clamping: mean.y), blue: UInt8(clamping: mean.z))
    }

    /// Returns the image with its colours divided by alpha, as a PNG stores them; itself if it has no alpha.
    func unpremultiplied() -> PixelBuffer {
        guard hasAlpha else { return self }
        var result = self
        for pixel in 0..<size.pixelCount {
            let alpha = Int(bytes[pixel * 4 + 3])
            guard alpha != 0 && alpha != 255 else { continue }
            for channel in pixel * 4..<pixel * 4 + 3 {
                result.bytes[channel] = UInt8(min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha))
            }
        }
        return result
    }
}

extension MutableSpan<UInt8> {
    /// Multiplies the colours of a row of RGBA pixels by their alpha, with rounding.
    mutating func premultiply() {
        for pixel in 0..<count / 4 {
            let alpha = Int(self[pixel * 4 + 3])
            guard alpha != 255 else { continue }
            for channel in pixel * 4..<pixel * 4 + 3 { self[channel] = UInt8((Int(self[channel]) * alpha + 127) / 255) }
        }
    }
}
