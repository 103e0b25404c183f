extension Picture {
    /// The picture as interleaved pixels: grey, RGB or premultiplied RGBA; nil when chroma has fewer samples.
    func pixels() -> PixelBuffer? {
        guard planes.allSatisfy({ $0.size == size }), planes.count == colorModel.planeCount else { return nil }
        var buffer = PixelBuffer(size: size, channels: planes.count)
        for (channel, plane) in planes.enumerated() {
            for pixel in plane.samples.indices { buffer.bytes[pixel * planes.count + channel] = plane.samples[pixel] }
        }
        if colorModel == .yCbCr { buffer.convertFromYCbCr() }
        return buffer
    }
}

extension PixelBuffer {
    /// Converts luma and colour differences to red, green and blue (JFIF 1.02), in 16-bit fixed point.
    fileprivate mutating func convertFromYCbCr() {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let luma = Int(bytes[start]) << 16 + 1 << 15  // and a half
            let (blue, red) = (Int(bytes[start + 1]) - 128, Int(bytes[start + 2]) - 128)
            bytes[start] = UInt8(clamping: (luma + 91_881 * red) >> 16)
            bytes[start + 1] = UInt8(clamping: (luma - 22_554 * blue - 46_802 * red) >> 16)
            bytes[start + 2] = UInt8(clamping: (luma + 116_130 * blue) >> 16)
        }
    }
}
