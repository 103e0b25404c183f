/// What the scaled decoder needs to know of a JPEG: one frame, its tables, and where its one scan begins.
///
/// Only what cameras and phones write is taken: baseline or extended sequential Huffman coding (T.81, 4.11), 8 bits,
/// grey or YCbCr, all components in one scan, whole sampling ratios with luma in full. All else is left to libjpeg.
struct SequentialFrame: Sendable {
    /// A component and the tables that its scan header selects (T.81, B.2.2, B.2.3).
    struct Component: Sendable {
        let identifier: UInt8
        /// H and V: blocks a minimum coded unit, horizontally and vertically.
        var horizontal: Int
        var vertical: Int
        /// The quantisation steps, in zigzag order.
        let quantization: [UInt16]
        var dcCode: HuffmanCode?
        var acCode: HuffmanCode?
    }

    /// X and Y, in pixels.
    let size: PixelSize
    var components: [Component]
    /// Ri, in minimum coded units; 0: no restart markers.
    var restartInterval: Int
    /// Where the entropy-coded data begins.
    var scanOffset: Int
}

extension SequentialFrame {
    /// The largest sampling factors, which are luma's.
    var maxHorizontal: Int { components[0].horizontal }
    var maxVertical: Int { components[0].vertical }

    /// Minimum coded units a row (T.81, A.2.3).
    var unitsPerRow: Int { SequentialFrame.quotient(size.width, 8 * maxHorizontal) }
    var unitRows: Int { SequentialFrame.quotient(size.height, 8 * maxVertical) }

    /// The ratio of a component's samples to the picture's pixels, along each side (T.81, A.1.1).
    func samplingRatio(of component: Component) -> (horizontal: Double, vertical: Double) {
        (
            Double(component.horizontal) / Double(maxHorizontal),
            Double(component.vertical) / Double(maxVertical)
        )
    }

    private static func quotient(_ dividend: Int, _ divisor: Int) -> Int { (dividend + divisor - 1) / divisor }
}
