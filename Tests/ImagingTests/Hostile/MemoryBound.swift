@testable import Imaging

/// The documented limit of the memory that `Renderer` uses, in bytes.
struct MemoryBound {
    /// The size of tables, buffers of the codecs, and pages of the program that were not used before, in bytes.
    static let slack = 8 * 1_048_576

    /// The bytes per pixel of each size, doubled: 3 for YCbCr.
    let halfBytesPerPixel: Int
    /// The size of the decoded image at the decoding scale, and the number of samples of all planes in one of its rows.
    let decoded: PixelSize
    let samplesPerRow: Int
    let bandRows: Int
    /// The memory for images that cannot be decoded row by row, in bytes.
    let workingBytes: Int

    /// - Parameters:
    ///   - model: the colour model that the decoder returns.
    ///   - divisor: the factor by which the decoder scales down.
    init(_ model: ColorModel, _ size: PixelSize, divisor: Int = 1, samplesPerPixel: Double, workingBytes: Int = 0) {
        halfBytesPerPixel =
            switch model {
            case .grey, .yCbCr: 3
            case .rgb: 6
            case .rgba, .cmyk: 8
            }
        decoded = PixelSize(width: size.width / divisor, height: size.height / divisor)
        samplesPerRow = Int(Double(decoded.width + 32) * samplesPerPixel)
        bandRows = model == .yCbCr || model == .grey ? 32 : 1
        self.workingBytes = workingBytes
    }

    /// Returns the bound for renditions of these sizes, including a placeholder.
    func bytes(for sizes: [PixelSize]) -> Int {
        let pixelCounts = sizes.map(\.pixelCount)
        let halves =
            halfBytesPerPixel * pixelCounts.reduce(0, +) + [3: 9, 6: 18, 8: 36][halfBytesPerPixel, default: 0]
            * (pixelCounts.max() ?? 0)
        let rows = sizes.map { 12 * (decoded.height / max(1, $0.height) + 1) + 12 }.reduce(0, +)
        return halves / 2 + (rows + bandRows) * samplesPerRow + workingBytes + MemoryBound.slack
    }
}
