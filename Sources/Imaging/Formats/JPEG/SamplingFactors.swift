/// The sampling factors of a JPEG's component: the relative numbers of its samples along a row and a column (T.81,
/// A.1.1).
struct SamplingFactors: Sendable, Hashable {
    var horizontal: Int
    var vertical: Int

    static var one: SamplingFactors { SamplingFactors(horizontal: 1, vertical: 1) }
}

extension PlaneLayout {
    /// Creates the layout of a JPEG's component (T.81, A.1.1), decoded at a number of eighths of its size.
    init(component: SamplingFactors, of largest: SamplingFactors, in image: PixelSize, eighths: Int) {
        // A single division of whole numbers; otherwise rounding might add a last sample.
        func extent(_ side: Int, _ factor: Int, _ largest: Int) -> Double {
            Double(side * factor * eighths) / Double(largest * 8)
        }
        self.init(
            horizontal: SampleAxis(extent: extent(image.width, component.horizontal, largest.horizontal)),
            vertical: SampleAxis(extent: extent(image.height, component.vertical, largest.vertical)))
    }
}
