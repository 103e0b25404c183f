internal import CKernels

/// Resamples a plane from rows as they arrive, so that the source plane is never in memory as a whole.
///
/// The filter is separable, first vertical: once the last source row of a target row has arrived, its source rows are
/// blended into one row of the source's width, with six extra bits of precision, which is then resampled horizontally.
/// Memory: the target, and about twice the source rows of one blend.
struct PlaneResampler {
    private let horizontal: LanczosWeights
    private let vertical: LanczosWeights
    /// The last source rows, `stride` apart, beginning with the source row `firstRow`.
    private var rows: [UInt8]
    private let stride: Int
    private var firstRow = 0
    private var rowCount = 0
    /// A blended row, with padding that the longest run of weights may read and multiply by zero.
    private var blended: [Int16]
    private var targetRow = 0
    private(set) var plane: Plane

    /// Creates a resampler to a layout; the weights must lead to that layout.
    init(to layout: PlaneLayout, horizontal: LanczosWeights, vertical: LanczosWeights) {
        self.horizontal = horizontal
        self.vertical = vertical
        stride = horizontal.sourceCount
        let capacity = min(vertical.sourceCount, 2 * (vertical.counts.max() ?? 1) + 8)
        rows = [UInt8](repeating: 0, count: capacity * stride)
        blended = [Int16](repeating: 0, count: stride + horizontal.taps)
        plane = Plane(layout: layout, samples: [UInt8](repeating: 0, count: layout.sampleCount))
    }

    /// Processes the next row from the top; the plane is complete after the last row.
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
            // Both are `stride` bytes long: checked by `extracting` above and by the subscript here.
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: rows[offset..<offset + stride])
            unsafe row.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }

    /// Removes the rows before the first one that the next target row needs.
    private mutating func forgetRows() {
        let needed = vertical.source(of: targetRow).lowerBound
        let count = min(needed - firstRow, rowCount)
        let (start, end) = (count * stride, rowCount * stride)
        unsafe rows.withUnsafeMutableBytes { rows in
            // `start..<end` is inside the buffer, and the destination begins no later than the source.
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
        // The rows of `source` are present, since `push` waits for them. Each target sample's run ends at most `taps`
        // samples after a start below `stride`, which is the length of `blended`.
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
