extension PlanarImage {
    /// Converts the image row by row; its chroma has one sample per pixel, or half as many along either side.
    ///
    /// A pixel uses the chroma sample that covers it; a converted chroma sample is the mean over its pixels.
    ///
    /// - Parameter transform: The conversion to sRGB; nil if the RGB values are sRGB already.
    func convertedYCbCr(_ matrix: YCbCrMatrix, _ transform: ColorTransform?) -> PlanarImage {
        guard planes.count == 3, planes[1].layout == planes[2].layout else { return self }
        let columns = ChromaAxis(luma: planes[0].layout.horizontal, chroma: planes[1].layout.horizontal)
        let rows = ChromaAxis(luma: planes[0].layout.vertical, chroma: planes[1].layout.vertical)
        guard columns.isInside, rows.isInside else { return self }
        var (luma, blue, red) = (planes[0].samples, planes[1].samples, planes[2].samples)
        var rgb = [UInt8](repeating: 0, count: size.width * 3)
        var converted = rgb
        let matrix = matrix.fixed
        var means = ChromaMeans(columns)
        for row in 0..<size.height {
            let (start, chromaRow) = (row * size.width, rows.chroma(of: row))
            let chromaStart = chromaRow * columns.count
            for x in 0..<size.width {
                let chroma = chromaStart + columns.chroma(of: x)
                matrix.write(luma[start + x], planes[1].samples[chroma], planes[2].samples[chroma], &rgb, at: x * 3)
            }
            if let transform {
                var span = converted.mutableSpan
                transform.convert(rgb.span, into: &span)
            } else {
                swap(&rgb, &converted)
            }
            for x in 0..<size.width {
                let pixel = SIMD3(Int32(converted[x * 3]), Int32(converted[x * 3 + 1]), Int32(converted[x * 3 + 2]))
                luma[start + x] = YCbCr.luma(pixel)
                means.add(YCbCr.chroma(pixel), at: x)
            }
            if row + 1 == size.height || rows.chroma(of: row + 1) != chromaRow {
                means.finish(&blue, &red, at: chromaStart)
            }
        }
        return PlanarImage(
            colorModel: .yCbCr, size: size,
            planes: zip(planes, [luma, blue, red]).map { Plane(layout: $0.layout, samples: $1) })
    }
}

/// The mapping from pixels to chroma samples along one axis.
private struct ChromaAxis {
    /// The number of chroma samples.
    let count: Int
    private let pixelCount: Int
    /// The shift from pixels to samples: 1 if there are half as many samples as pixels, else 0.
    private let shift: Int
    /// The phase: 1 if the first chroma sample covers only one pixel, else 0.
    private let phase: Int

    init(luma: SampleAxis, chroma: SampleAxis) {
        count = chroma.count
        pixelCount = luma.count
        shift = chroma.extent < luma.extent ? 1 : 0
        phase = shift == 0 ? 0 : Int(2 * chroma.origin - luma.origin)
    }

    func chroma(of pixel: Int) -> Int { (pixel + phase) >> shift }

    var isInside: Bool { pixelCount > 0 && chroma(of: 0) >= 0 && chroma(of: pixelCount - 1) < count }
}

/// Sums the colour differences of the pixels that share a chroma sample.
private struct ChromaMeans {
    private let columns: ChromaAxis
    private var blue: [Int32]
    private var red: [Int32]
    private var counts: [Int32]

    init(_ columns: ChromaAxis) {
        self.columns = columns
        blue = [Int32](repeating: 0, count: columns.count)
        red = blue
        counts = blue
    }

    mutating func add(_ chroma: SIMD2<Int32>, at pixel: Int) {
        let column = columns.chroma(of: pixel)
        blue[column] &+= chroma.x
        red[column] &+= chroma.y
        counts[column] &+= 1
    }

    /// Writes a row of samples and begins the next.
    mutating func finish(_ blueSamples: inout [UInt8], _ redSamples: inout [UInt8], at start: Int) {
        for column in 0..<columns.count where counts[column] > 0 {
            let half = counts[column] / 2
            blueSamples[start + column] = UInt8(clamping: (blue[column] + half) / counts[column])
            redSamples[start + column] = UInt8(clamping: (red[column] + half) / counts[column])
            (blue[column], red[column], counts[column]) = (0, 0, 0)
        }
    }
}
