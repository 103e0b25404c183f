/// The part of a JPEG that the scaled decoder needs: one frame, its tables, and the position of its single scan.
///
/// Only the kinds that cameras and phones write are supported: baseline or extended sequential Huffman coding (T.81,
/// 4.11), 8 bits, grey or YCbCr, all components in one scan, whole sampling ratios with luma at full resolution. All
/// others are left to libjpeg.
struct SequentialFrame: Sendable {
    /// A component and the tables that its scan header selects (T.81, B.2.2, B.2.3).
    struct Component: Sendable {
        let identifier: UInt8
        /// The sampling factors, which are also the numbers of blocks in a minimum coded unit.
        var factors: SamplingFactors
        /// The quantisation steps, in zigzag order.
        let quantization: [UInt16]
        var dcCode: HuffmanCode?
        var acCode: HuffmanCode?
    }

    /// The size in pixels (X and Y).
    let size: PixelSize
    var components: [Component]
    /// The restart interval in minimum coded units (Ri); 0 if there are no restart markers.
    var restartInterval: Int
    /// The offset in the file at which the entropy-coded data begins.
    var scanOffset: Int
}

extension SequentialFrame {
    /// The largest sampling factors, which are luma's.
    var largestFactors: SamplingFactors { components[0].factors }

    /// The number of minimum coded units in a row (T.81, A.2.3).
    var unitsPerRow: Int { SequentialFrame.quotient(size.width, 8 * largestFactors.horizontal) }
    var unitRows: Int { SequentialFrame.quotient(size.height, 8 * largestFactors.vertical) }

    /// Returns the layout of a component on the image, decoded at a number of eighths of its size.
    func layout(of component: Component, eighths: Int) -> PlaneLayout {
        PlaneLayout(component: component.factors, of: largestFactors, in: size, eighths: eighths)
    }

    private static func quotient(_ dividend: Int, _ divisor: Int) -> Int { (dividend + divisor - 1) / divisor }
}
