/// The meaning of RGB samples of limited range or high dynamic range.
struct CodedSamples: Sendable {
    /// Whether the samples use all values of their depth.
    let isFullRange: Bool
    /// The conversion to the dynamic range of sRGB; nil if the samples have it already.
    let toneMapper: ToneMapper?
}

/// Converts rows of such samples (RGB or RGBA, 8 or 16 bits) to 8-bit samples of full range and standard dynamic range.
/// Alpha always has full range.
struct CodedRowConverter: Sendable {
    private let bytesPerSample: Int
    private let channels: Int
    /// The level of each sample value, 0 to 1.
    private let levels: [Float]
    private let alpha: [UInt8]
    private let toneMapper: ToneMapper?

    /// - Parameters:
    ///   - channels: The number of channels: 3, or 4 with alpha.
    ///   - bits: The bits of a sample: 8, or 16 in big-endian order.
    init(_ samples: CodedSamples, channels: Int, bits: Int) {
        bytesPerSample = bits / 8
        self.channels = channels
        levels = SampleTable.levels(bits: bits, isFullRange: samples.isFullRange, isChroma: false)
        alpha = channels == 4 ? SampleTable.luma(bits: bits, isFullRange: true) : []
        toneMapper = samples.toneMapper
    }

    /// Converts a row; the target's length is the row's length.
    func convert(_ stored: Span<UInt8>, to row: inout MutableSpan<UInt8>) {
        func sample(_ index: Int) -> Int {
            bytesPerSample == 1 ? Int(stored[index]) : Int(stored[2 * index]) << 8 | Int(stored[2 * index + 1])
        }
        for start in stride(from: 0, to: row.count, by: channels) {
            let pixel = SIMD3(levels[sample(start)], levels[sample(start + 1)], levels[sample(start + 2)])
            let color = toneMapper?.srgb(pixel) ?? pixel.samples
            row[start] = color.x
            row[start + 1] = color.y
            row[start + 2] = color.z
            if channels == 4 { row[start + 3] = alpha[sample(start + 3)] }
        }
    }
}

extension SIMD3<Float> {
    /// The levels, from 0 to 1, as 8-bit samples; values outside are clamped.
    @inline(__always)
    var samples: SIMD3<UInt8> {
        SIMD3<UInt8>(truncatingIfNeeded: SIMD3<Int32>(clamped(lowerBound: .zero, upperBound: .one) * 255 + 0.5))
    }
}
