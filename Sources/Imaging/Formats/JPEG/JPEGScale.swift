/// The choice of the scale at which a JPEG is decoded, in eighths.
enum JPEGScale {
    /// The smallest scale that oversamples the size that is asked for.
    ///
    /// An eighth and a quarter must be twice that size along both sides, so that the resampler's filter decides on
    /// sharpness; a half will do from 1.25 times on, where the difference can hardly be measured, and more costs more.
    /// - Parameter isTransformSharp: False for libjpeg's own half-size transform, which blurs: then a half, too, must
    ///   be twice the size.
    static func eighths(of stored: PixelSize, for largest: PixelSize, isTransformSharp: Bool = true) -> Int {
        for (eighths, factor) in [(1, 2), (2, 2), (4, isTransformSharp ? 1.25 : 2)]
        where stored.covers(largest, factor: factor * 8 / Double(eighths)) { return eighths }
        return 8
    }

    /// The scale, for each of a frame's components, that serves its plane of a rendition: chroma that has all of its
    /// samples is decoded at half of luma's scale where no rendition has more.
    ///
    /// - Parameter chroma: The most chroma samples that are asked for.
    static func eighths(of frame: SequentialFrame, for largest: PixelSize, chroma: PixelSize) -> [Int] {
        frame.components.indices.map { index in
            let full = frame.layout(of: frame.components[index], eighths: 8)
            let stored = PixelSize(width: full.horizontal.count, height: full.vertical.count)
            return eighths(of: stored, for: index == 0 ? largest : chroma)
        }
    }
}
