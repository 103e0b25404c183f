/// The choice of the scale at which a JPEG is decoded, in eighths.
enum JPEGScale {
    /// Returns the smallest scale that oversamples the requested size.
    ///
    /// An eighth and a quarter must be twice that size along both sides, so that the resampler's filter determines the
    /// sharpness. A half suffices from 1.25 times on, where the difference is hardly measurable, and a larger scale
    /// costs more.
    ///
    /// - Parameter isTransformSharp: False for libjpeg's own half-size transform, which blurs: a half must then also be
    ///   twice the size.
    static func eighths(of stored: PixelSize, for largest: PixelSize, isTransformSharp: Bool = true) -> Int {
        for (eighths, factor) in [(1, 2), (2, 2), (4, isTransformSharp ? 1.25 : 2)]
        where stored.covers(largest, factor: factor * 8 / Double(eighths)) { return eighths }
        return 8
    }

    /// Returns the scale for each of a frame's components: chroma at full resolution is decoded at half of luma's scale
    /// if no rendition needs more.
    ///
    /// - Parameter chroma: The maximum number of requested chroma samples along each side.
    static func eighths(of frame: SequentialFrame, for largest: PixelSize, chroma: PixelSize) -> [Int] {
        frame.components.indices.map { index in
            let full = frame.layout(of: frame.components[index], eighths: 8)
            let stored = PixelSize(width: full.horizontal.count, height: full.vertical.count)
            return eighths(of: stored, for: index == 0 ? largest : chroma)
        }
    }
}
