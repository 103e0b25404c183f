/// The weights that resample a row or column of samples to another size: Lanczos' kernel with three lobes.
///
/// Each target sample is a weighted sum of a run of source samples, with the weights `L(x) = sinc(x) · sinc(x/3)`, |x|
/// < 3. The kernel is stretched by the scale, so that it also removes the frequencies that the target cannot represent
/// (C. Lanczos, "Applied Analysis", 1956; K. Turkowski, "Filters for Common Resampling Tasks", in Graphics Gems I,
/// 1990).
struct LanczosWeights: Sendable {
    /// The exact sum of every run's weights.
    static let one = 1 << 14

    /// The first source sample of each target sample.
    private(set) var starts: [UInt32] = []
    /// The number of source samples for each target sample.
    private(set) var counts: [Int] = []
    /// The weights, `taps` for each target sample; those after its last source sample are zero.
    private(set) var weights: [Int16]
    /// The length of the longest run, rounded up to a multiple of eight.
    let taps: Int
    /// The number of source samples.
    let sourceCount: Int

    /// Creates the weights between two axes of the same image.
    init(from source: SampleAxis, to target: SampleAxis) {
        let scale = source.extent / target.extent
        let stretch = max(scale, 1)
        sourceCount = source.count
        let longest = min(source.count, Int(6 * stretch) + 1)
        taps = (longest + 7) / 8 * 8
        weights = [Int16](repeating: 0, count: target.count * taps)
        var values = [Double](repeating: 0, count: longest)
        let table = LanczosWeights.table
        for sample in 0..<target.count {
            // The centre of the target sample, in source samples whose centres are at whole numbers.
            let middle = source.origin + (Double(sample) + 0.5 - target.origin) * scale - 0.5
            let last = source.count - 1
            let center = min(max(middle, -0.5), Double(last) + 0.5)
            let first = min(last, max(0, Int((center - 3 * stretch).rounded(.up))))
            let end = max(first, min(last, Int((center + 3 * stretch).rounded(.down)))) + 1
            let count = min(end - first, longest)
            for tap in 0..<count {
                values[tap] = LanczosWeights.kernel((Double(first + tap) - center) / stretch, in: table)
            }
            starts.append(UInt32(first))
            counts.append(count)
            round(values, count: count, at: sample * taps)
        }
    }

    /// The weights between two axes; cached, since photos of one size share them.
    static func between(_ source: SampleAxis, _ target: SampleAxis) -> LanczosWeights {
        let axes = Axes(source: source, target: target)
        return known.value(of: axes, byteCount: \.byteCount) { LanczosWeights(from: source, to: target) }
    }

    private struct Axes: Equatable {
        let source: SampleAxis
        let target: SampleAxis
    }

    /// Four renditions of a photo need up to 16 weights of together 250 kB.
    private static let known = LRUCache<Axes, LanczosWeights>(maxCount: 128, maxBytes: 4 * 1_048_576)

    private var byteCount: Int { weights.count * 2 + starts.count * 4 + counts.count * 8 }

    /// Returns the source samples of a target sample.
    func source(of sample: Int) -> Range<Int> {
        Int(starts[sample])..<Int(starts[sample]) + counts[sample]
    }

    /// Rounds the running sum rather than each weight, so that the total is exact.
    private mutating func round(_ values: [Double], count: Int, at position: Int) {
        var total = 0.0
        for tap in 0..<count { total += values[tap] }
        let factor = Double(LanczosWeights.one) / total
        var (sum, roundedSum) = (0.0, 0)
        for tap in 0..<count {
            sum += values[tap]
            let next = Int((sum * factor).rounded())
            weights[position + tap] = Int16(clamping: next - roundedSum)
            roundedSum = next
        }
    }
}

extension LanczosWeights {
    /// The number of steps per unit in the kernel's table.
    private static let stepsPerUnit = 1024

    /// The kernel from 0 to 3, followed by two zeros.
    private static let table: [Float] = (0...3 * stepsPerUnit + 1).map { step in
        let x = Double(step) / Double(stepsPerUnit)
        guard x > 0 else { return 1 }
        guard x < 3 else { return 0 }
        return Float(3 * sine(x) * sine(x / 3) / (Double.pi * x * Double.pi * x))
    }

    /// The sine of π times a number, by Taylor's series: the same on every machine, unlike the C library's.
    private static func sine(_ x: Double) -> Double {
        let nearest = x.rounded()
        let angle = Double.pi * (x - nearest)
        var (term, sum) = (angle, angle)
        for order in stride(from: 3.0, through: 19, by: 2) {
            term *= -angle * angle / (order * (order - 1))
            sum += term
        }
        return nearest.truncatingRemainder(dividingBy: 2) == 0 ? sum : -sum
    }

    /// Lanczos' kernel, zero from 3 on; interpolated linearly between the table's steps, with an error below 10⁻⁶.
    static func kernel(_ x: Double, in table: [Float] = table) -> Double {
        let position = min(abs(x), 3) * Double(stepsPerUnit)
        let step = Int(position)
        let (low, high) = (Double(table[step]), Double(table[step + 1]))
        return low + (high - low) * (position - Double(step))
    }
}
