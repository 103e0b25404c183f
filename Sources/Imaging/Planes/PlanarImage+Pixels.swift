extension PlanarImage {
    /// The image as interleaved pixels (grey, RGB or premultiplied RGBA); nil if chroma has fewer samples than luma.
    func pixels() -> PixelBuffer? {
        guard planes.allSatisfy({ $0.size == size }), planes.count == colorModel.planeCount else { return nil }
        var buffer = PixelBuffer(size: size, channels: planes.count)
        for (channel, plane) in planes.enumerated() {
            for pixel in plane.samples.indices { buffer.bytes[pixel * planes.count + channel] = plane.samples[pixel] }
        }
        guard colorModel == .yCbCr else { return buffer }
        for start in stride(from: 0, to: buffer.bytes.count, by: 3) {
            let (luma, blue, red) = (buffer.bytes[start], buffer.bytes[start + 1], buffer.bytes[start + 2])
            YCbCr.toRGB(luma, blue, red, &buffer.bytes, at: start)
        }
        return buffer
    }
}

/// The conversion between RGB and luma with two colour differences (JFIF 1.02; ITU-R BT.601), in 16-bit fixed point.
enum YCbCr {
    /// Writes red, green and blue, beginning at an index.
    @inline(__always)
    static func toRGB(_ luma: UInt8, _ blue: UInt8, _ red: UInt8, _ rgb: inout [UInt8], at index: Int) {
        let luma = Int32(luma) << 16 + 1 << 15  // plus one half, to round
        let (blue, red) = (Int32(blue) - 128, Int32(red) - 128)
        rgb[index] = UInt8(clamping: (luma &+ 91_881 &* red) >> 16)
        rgb[index + 1] = UInt8(clamping: (luma &- 22_554 &* blue &- 46_802 &* red) >> 16)
        rgb[index + 2] = UInt8(clamping: (luma &+ 116_130 &* blue) >> 16)
    }

    /// Returns the luma of red, green and blue.
    @inline(__always)
    static func luma(_ rgb: SIMD3<Int32>) -> UInt8 {
        UInt8(truncatingIfNeeded: (19_595 &* rgb.x &+ 38_470 &* rgb.y &+ 7_471 &* rgb.z &+ 32_768) >> 16)
    }

    /// Returns the colour differences of red, green and blue, each 0 to 256.
    @inline(__always)
    static func chroma(_ rgb: SIMD3<Int32>) -> SIMD2<Int32> {
        let middle: Int32 = 128 << 16 + 1 << 15  // plus one half, to round
        return SIMD2(
            (middle &- 11_059 &* rgb.x &- 21_709 &* rgb.y &+ 32_768 &* rgb.z) >> 16,
            (middle &+ 32_768 &* rgb.x &- 27_439 &* rgb.y &- 5_329 &* rgb.z) >> 16)
    }
}
