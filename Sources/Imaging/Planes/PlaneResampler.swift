internal import CKernels

/// Makes a plane of another size out of rows as they arrive, so that the larger plane never has to be in memory.
///
/// Separable, first vertically: when the last row came that a target row needs, its rows are blended to one of the
/// source's width, with six more bits, and that is shrunk. Memory: the target, and about twice the rows of one blend.
struct PlaneResampler {
    private let horizontal: LanczosWeights
    private let vertical: LanczosWeights
    /// The last source rows, `stride` apart, from the source row `firstRow` on.
    private var rows: [UInt8]
    private let stride: Int
    private var firstRow = 0
    private var rowCount = 0
    /// A blended row, and room behind it that the longest run of weights may read and multiply by zero.
    private var blended: [Int16]
    private var targetRow = 0
    private(set) var plane: Plane

    /// Prepares to make a plane of the layout that the two kinds of weights lead to.
    init(to layout: PlaneLayout, horizontal: LanczosWeights, vertical: LanczosWeights) {
        self.horizontal = horizontal
        self.vertical = vertical
        stride = horizontal.sourceCount
        let capacity = min(vertical.sourceCount, 2 * (vertical.counts.max() ?? 1) + 8)
        rows = [UInt8](repeating: 0, count: capacity * stride)
        blended = [Int16](repeating: 0, count: stride + horizontal.taps)
        plane = Plane(layout: layout, samples: [UInt8](repeating: 0, count: layout.sampleCount))
    }

    /// Takes the next row from the top; the plane is complete when the last row was taken.
    mutating func push(_ row: Span<UInt8>) {
        guard targetRow < vertical.starts.count else { return }
        if rowCount * stride == rows.count { forgetRows() }
        copy(row, to: rowCount * stride)
        rowCount += 1
        while targetRow < vertical.starts.count, vertical.source(of: targetRow).upperBound <= firstRow + rowCount {
            finishRow()
            targetRow += 1
        }
    }

    private mutating func copy(_ row: Span<UInt8>, to offset: Int) {
        let row = row.extracting(0..<stride)
        unsafe rows.withUnsafeMutableBytes { rows in
            // Both are `stride` bytes long: checked by `extracting`, here and above.
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: rows[offset..<offset + stride])
            unsafe row.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }

    /// Makes room: rows before the next target row's first one will not be needed again.
    private mutating func forgetRows() {
        let needed = vertical.source(of: targetRow).lowerBound
        let count = min(needed - firstRow, rowCount)
        let (start, end) = (count * stride, rowCount * stride)
        unsafe rows.withUnsafeMutableBytes { rows in
            // `start...end` is inside, and the target is as long and begins no later.
            guard let base = rows.baseAddress, start < end else { return }
            unsafe base.copyMemory(from: base + start, byteCount: end - start)
        }
        firstRow += count
        rowCount -= count
    }

    private mutating func finishRow() {
        let source = vertical.source(of: targetRow)
        let width = plane.layout.horizontal.count
        let (firstSample, firstWeight) = ((source.lowerBound - firstRow) * stride, targetRow * vertical.taps)
        // The rows of `source` are there, or `push` would have waited; each target sample's run ends at most `taps`
        // behind a start that is less than `stride`, which is as far as `blended` goes.
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe vertical.weights.withUnsafeBufferPointer { weights in
                unsafe ckernels_blend_rows(
                    rows.baseAddress?.advanced(by: firstSample), stride, weights.baseAddress?.advanced(by: firstWeight),
                    source.count, &blended, stride)
            }
        }
        unsafe plane.samples.withUnsafeMutableBufferPointer { samples in
            unsafe ckernels_shrink_row(
                blended, horizontal.starts, horizontal.weights, horizontal.taps,
                samples.baseAddress?.advanced(by: targetRow * width), width)
        }
    }
}
