import CoreMetrics
import Synchronization

/// The numbers of one series, changed by relaxed atomics from any thread.
protocol MetricCell: AnyObject, Sendable {
    init(_ metric: Metric)
    /// Adds the samples of the series.
    func write(to text: inout Exposition, _ metric: Metric, _ labels: [MetricLabel])
}

/// A counter: an increment is one atomic addition.
final class CounterCell: MetricCell, CounterHandler {
    private let count = Atomic<Int64>(0)

    init(_ metric: Metric) {}

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(to text: inout Exposition, _ metric: Metric, _ labels: [MetricLabel]) {
        text.add(metric.name, labels, String(count.load(ordering: .relaxed)))
    }
}

/// A gauge: the bits of a floating-point number.
final class GaugeCell: MetricCell, MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    init(_ metric: Metric) {}

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isExchanged, present) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isExchanged { return }
            old = present
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }

    func write(to text: inout Exposition, _ metric: Metric, _ labels: [MetricLabel]) {
        let value = Double(bitPattern: bits.load(ordering: .relaxed))
        text.add(metric.name, labels, Int64(exactly: value).map { String($0) } ?? Self.text(value))
    }

    private static func text(_ value: Double) -> String {
        value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }
}

/// A histogram: an observation is a search among the bounds and two atomic additions.
///
/// The number of observations is computed as the sum of the buckets, so the two always agree in the text.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private let buckets: Buckets
    private let sum = Atomic<Int64>(0)
    private let counts = InlineArray<32, Atomic<Int64>> { _ in Atomic(0) }

    init(_ metric: Metric) { buckets = metric.buckets }

    func record(_ value: Int64) {
        let value = max(0, value)
        counts[buckets.index(of: value)].wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(value, ordering: .relaxed)
    }

    func record(_ value: Double) {
        guard !value.isNaN else { return }
        record(Int64(exactly: value.rounded()) ?? (value < 0 ? 0 : .max))
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }

    func write(to text: inout Exposition, _ metric: Metric, _ labels: [MetricLabel]) {
        let total = sum.load(ordering: .relaxed)
        var count: Int64 = 0
        for (index, bound) in buckets.bounds.enumerated() {
            count += counts[index].load(ordering: .relaxed)
            add(count, upTo: buckets.text(bound), to: &text, metric, labels)
        }
        count += counts[buckets.bounds.count].load(ordering: .relaxed)
        add(count, upTo: "+Inf", to: &text, metric, labels)
        text.add("\(metric.name)_sum", labels, buckets.text(total))
        text.add("\(metric.name)_count", labels, String(count))
    }

    private func add(
        _ count: Int64, upTo bound: String, to text: inout Exposition, _ metric: Metric, _ labels: [MetricLabel]
    ) {
        text.add("\(metric.name)_bucket", labels + [MetricLabel("le", bound)], String(count))
    }
}
