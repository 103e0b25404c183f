/// The weights with which samples along one axis become samples of another size: Lanczos' kernel with three lobes.
///
/// For each target sample a run of source samples is weighted by `L(x) = sinc(x) · sinc(x/3)`, |x| < 3, stretched by
/// the scale so that it also removes the frequencies that the target cannot carry (C. Lanczos, "Applied Analysis",
/// 1956; K. Turkowski, "Filters for Common Resampling Tasks", in Graphics Gems I, 1990).
struct LanczosWeights: Sendable {
    /// Every run's weights sum up to exactly this.
    static let one = 1 << 14

    /// The first source sample of each target sample.
    private(set) var starts: [UInt32] = []
    /// The number of source samples of each target sample.
    private(set) var counts: [Int] = []
    /// The weights, `taps` for each target sample; those behind its last source sample are zero.
    private(set) var weights: [Int16]
    /// The longest run, rounded up to a multiple of eight.
    let taps: Int
    /// The number of source samples.
    let sourceCount: Int

    /// Makes the weights between two rows of samples that lie on the same image.
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
            // The middle of the target's sample, less half a source sample: what has the weight of zero distance.
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

    /// The weights between two rows of samples; made once for all photos of a size.
    static func between(_ source: SampleAxis, _ target: SampleAxis) -> LanczosWeights {
        let axes = Axes(source: source, target: target)
        return known.value(of: axes, byteCount: \.byteCount) { LanczosWeights(from: source, to: target) }
    }

    private struct Axes: Equatable {
        let source: SampleAxis
        let target: SampleAxis
    }

    /// Four renditions of a photo have up to 16 of them, of 250 kB together.
    private static let known = LRUCache<Axes, LanczosWeights>(maxCount: 128, maxBytes: 4 * 1_048_576)

    private var byteCount: Int { weights.count * 2 + starts.count * 4 + counts.count * 8 }

    /// The source samples of a target sample.
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
    /// The number of steps of the kernel's table in a unit.
    private static let stepsPerUnit = 1024

    /// The kernel from 0 to 3, and two zeros.
    private static let table: [Float] = (0...3 * stepsPerUnit + 1).map { step in
        let x = Double(step) / Double(stepsPerUnit)
        guard x > 0 else { return 1 }
        guard x < 3 else { return 0 }
        return Float(3 * sine(x) * sine(x / 3) / (Double.pi * x * Double.pi * x))
    }

    /// The sine of π times a number, by Taylor's series: the same on every machine, as the C library's is not.
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

    /// Lanczos' kernel, zero from 3 on; between the table's steps a straight line, true to 10⁻⁶.
    static func kernel(_ x: Double, in table: [Float] = table) -> Double {
        let position = min(abs(x), 3) * Double(stepsPerUnit)
        let step = Int(position)
        let (low, high) = (Double(table[step]), Double(table[step + 1]))
        return low + (high - low) * (position - Double(step))
    }
}
