/// Makes a smaller picture out of rows as they arrive, so that the larger picture never has to be in memory.
///
/// Separable: each row is resampled horizontally when it comes and kept, in 16 bits, only as long as rows of the
/// target below need it. Memory: the target, and `6 × scale + 1` rows of the target's width.
struct Resampler {
    private let horizontal: LanczosWeights
    private let vertical: LanczosWeights
    private let channels: Int
    /// Horizontally resampled rows, in turns.
    ///
    /// Source row `y` is in slot `y % slotCount`; samples carry six more bits.
    private var slots: [Int16]
    private let slotCount: Int
    private var sums: [Int32]
    private var sourceRow = 0
    private var targetRow = 0
    private(set) var picture: PixelBuffer

    /// Prepares to turn rows of the given layout into a picture of `size`, which must not be larger.
    init(from layout: RowLayout, to size: PixelSize) {
        horizontal = LanczosWeights(
            sourceCount: layout.size.width, sourceExtent: layout.extentWidth, targetCount: size.width)
        vertical = LanczosWeights(
            sourceCount: layout.size.height, sourceExtent: layout.extentHeight, targetCount: size.height)
        channels = layout.channels
        picture = PixelBuffer(size: size, channels: channels)
        slotCount = vertical.maxRunLength
        slots = [Int16](repeating: 0, count: slotCount * size.width * channels)
        sums = [Int32](repeating: 0, count: size.width * channels)
    }

    /// Takes the next row from the top; the picture is complete when the last row was taken.
    mutating func push(_ row: Span<UInt8>) {
        let rowCount = picture.bytesPerRow
        Resampler.shrink(row, channels: channels, horizontal, to: &slots, at: sourceRow % slotCount * rowCount)
        sourceRow += 1
        while targetRow < picture.size.height, vertical.runs[targetRow].source.upperBound <= sourceRow {
            finishRow()
            targetRow += 1
        }
    }

    private mutating func finishRow() {
        let rowCount = picture.bytesPerRow
        let run = vertical.runs[targetRow]
        for index in sums.indices { sums[index] = 1 << 19 }  // a half
        for (tap, row) in run.source.enumerated() {
            let weight = vertical.weights[run.weightStart + tap]
            Resampler.add(slots, from: row % slotCount * rowCount, times: weight, to: &sums)
        }
        Resampler.round(sums, to: &picture.bytes, at: targetRow * rowCount)
    }
}

/// The three loops in which the time goes.
///
/// Written with `while`, which is twice as fast as `for` in debug builds and as fast in release builds.
extension Resampler {
    /// 14-bit weights times 8-bit samples, 8 bits dropped: what is left has 6 bits below the point, and at most 1.75
    /// times the range of a sample, which 16 bits hold.
    private static func shrink(
        _ row: Span<UInt8>, channels: Int, _ horizontal: LanczosWeights, to slots: inout [Int16], at start: Int
    ) {
        let weights = horizontal.weights.span
        var slots = slots.mutableSpan
        var target = start
        for run in horizontal.runs {
            for channel in 0..<channels {
                var sum: Int32 = 1 << 7  // a half
                var index = run.source.lowerBound * channels + channel
                var tap = run.weightStart
                let end = tap + run.source.count
                while tap < end {
                    sum &+= Int32(weights[tap]) &* Int32(row[index])
                    index += channels
                    tap += 1
                }
                slots[target] = Int16(truncatingIfNeeded: sum >> 8)
                target += 1
            }
        }
    }

    /// 14-bit weights times 14-bit samples: 1.75 times the range of both still fits into 32 bits.
    private static func add(_ slots: [Int16], from start: Int, times weight: Int16, to sums: inout [Int32]) {
        let row = slots.span.extracting(start..<start + sums.count)
        var sums = sums.mutableSpan
        let (weight, count) = (Int32(weight), sums.count)
        var index = 0
        while index < count {
            sums[index] &+= weight &* Int32(row[index])
            index += 1
        }
    }

    private static func round(_ sums: [Int32], to bytes: inout [UInt8], at start: Int) {
        let sums = sums.span
        var bytes = bytes.mutableSpan
        let count = sums.count
        var index = 0
        while index < count {
            bytes[start + index] = UInt8(clamping: sums[index] >> 20)
            index += 1
        }
    }
}

extension PixelBuffer {
    /// A smaller copy.
    func resampled(to size: PixelSize) -> PixelBuffer {
        guard size != self.size else { return self }
        var resampler = Resampler(from: RowLayout(size: self.size, channels: channels), to: size)
        let bytes = bytes.span
        for y in 0..<self.size.height {
            resampler.push(bytes.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow))
        }
        return resampler.picture
    }
}
