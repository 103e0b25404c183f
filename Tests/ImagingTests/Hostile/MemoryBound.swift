@testable import Imaging

/// The most memory that `Renderer` says that rendering takes, in bytes.
struct MemoryBound {
    /// Tables, buffers of the codecs, and pages of the program that were not needed before.
    static let slack = 8 * 1_048_576

    /// Bytes a pixel of each size, doubled: 3 of YCbCr.
    let halfBytesPerPixel: Int
    /// The decoded image, at the scale at which it is decoded, and the samples of all planes in one of its rows.
    let decoded: PixelSize
    let samplesPerRow: Int
    let bandRows: Int
    /// The memory of what cannot be decoded row by row.
    let workingBytes: Int

    /// - Parameters:
    ///   - model: what the decoder gives.
    ///   - divisor: by how much the decoder scales down.
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

    /// The bound for renditions of such sizes, a placeholder among them.
    func bytes(for sizes: [PixelSize]) -> Int {
        let pixelCounts = sizes.map(\.pixelCount)
        let halves =
            halfBytesPerPixel * pixelCounts.reduce(0, +) + [3: 9, 6: 18, 8: 36][halfBytesPerPixel, default: 0]
            * (pixelCounts.max() ?? 0)
        let rows = sizes.map { 12 * (decoded.height / max(1, $0.height) + 1) + 12 }.reduce(0, +)
        return halves / 2 + (rows + bandRows) * samplesPerRow + workingBytes + MemoryBound.slack
    }
}
