#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The weights with which samples along one axis become fewer samples: Lanczos' kernel with three lobes.
///
/// For each target sample a run of source samples is weighted by `L(x) = sinc(x) · sinc(x/3)`, |x| < 3, stretched by
/// the scale so that it also removes the frequencies that the target cannot carry (C. Lanczos, "Applied Analysis",
/// 1956; K. Turkowski, "Filters for Common Resampling Tasks", in Graphics Gems I, 1990).
struct LanczosWeights: Sendable {
    /// Every run's weights sum up to exactly this.
    static let one = 1 << 14

    /// The source samples of a target sample: `source` in the picture, `weights` in `weights`.
    struct Run: Sendable {
        let source: Range<Int>
        let weightStart: Int
    }

    private(set) var runs: [Run] = []
    private(set) var weights: [Int16] = []

    /// The longest run.
    var maxRunLength: Int { runs.lazy.map(\.source.count).max() ?? 0 }

    /// Makes the weights that turn `sourceCount` samples into `targetCount`.
    ///
    /// - Parameter sourceExtent: how many samples wide the picture truly is, where its last sample reaches beyond the
    ///   picture's edge: a JPEG of 1001 pixels decoded at an eighth is 125.125 samples wide, in 126 samples.
    init(sourceCount: Int, sourceExtent: Double, targetCount: Int) {
        let scale = sourceExtent / Double(targetCount)
        let stretch = max(scale, 1)
        for target in 0..<targetCount {
            let center = (Double(target) + 0.5) * scale
            let first = max(0, Int((center - 3 * stretch).rounded(.down)))
            let end = min(sourceCount, Int((center + 3 * stretch).rounded(.up)))
            let values = (first..<max(first + 1, end)).map { sample in
                LanczosWeights.kernel((Double(sample) + 0.5 - center) / stretch)
            }
            append(values, from: min(first, sourceCount - 1))
        }
    }

    /// Rounds the running sum rather than each weight, so that the total is exact, and leaves out zeros at the ends.
    private mutating func append(_ values: [Double], from first: Int) {
        let total = values.reduce(0, +)
        var rounded: [Int16] = []
        var (sum, roundedSum) = (0.0, 0)
        for value in values {
            sum += value
            let next = Int((sum / total * Double(LanczosWeights.one)).rounded())
            rounded.append(Int16(clamping: next - roundedSum))
            roundedSum = next
        }
        let start = rounded.firstIndex { $0 != 0 } ?? 0
        let end = (rounded.lastIndex { $0 != 0 } ?? 0) + 1
        runs.append(Run(source: first + start..<first + end, weightStart: weights.count))
        weights.append(contentsOf: rounded[start..<end])
    }

    /// Lanczos' kernel, zero from 3 on.
    static func kernel(_ x: Double) -> Double {
        guard abs(x) < 3 else { return 0 }
        guard abs(x) > 1e-9 else { return 1 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
