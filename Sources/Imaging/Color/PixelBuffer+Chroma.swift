extension PixelBuffer {
    /// Whether an image is a drawing that would lose colours if four pixels shared one chroma sample: coloured text on
    /// a plain ground, as in screenshots.
    ///
    /// This is so if a quarter of its blocks of two by two pixels have a single colour, and one in 200 has chroma that
    /// differs by more than an eighth of its range. Photos have hardly a block of one colour.
    var needsFullChroma: Bool {
        guard channels == 3 else { return false }
        var (plainCount, mixedCount) = (0, 0)
        let pixels = bytes.span
        for y in stride(from: 0, to: size.height - 1, by: 2) {
            for x in stride(from: 0, to: size.width - 1, by: 2) {
                let corner = (y * size.width + x) * 3
                let block = [0, 3, size.width * 3, size.width * 3 + 3].map { offset in
                    SIMD3(
                        Int32(pixels[corner + offset]), Int32(pixels[corner + offset + 1]),
                        Int32(pixels[corner + offset + 2]))
                }
                if block[1] == block[0], block[2] == block[0], block[3] == block[0] {
                    plainCount += 1
                } else if PixelBuffer.isMixed(block) {
                    mixedCount += 1
                }
            }
        }
        let blockCount = (size.width / 2) * (size.height / 2)
        return blockCount > 0 && plainCount * 4 >= blockCount && mixedCount * 200 >= blockCount
    }

    /// Whether the chroma of the colours differs by more than 32 of 255.
    private static func isMixed(_ colors: [SIMD3<Int32>]) -> Bool {
        let chroma = colors.map(YCbCr.chroma)
        let least = chroma.reduce(chroma[0]) { pointwiseMin($0, $1) }
        let most = chroma.reduce(chroma[0]) { pointwiseMax($0, $1) }
        return (most &- least).max() > 32
    }
}
