public import CoreMetrics
import Synchronization

/// The labels of a series. They must have few values: each combination that occurs is kept for as long as the service
/// runs.
public protocol MetricLabels: Hashable, Sendable {
    /// The labels with their values, always in the same order.
    var pairs: [(String, String)] { get }
}

/// The instruments of a metric with labels, each created on its first use.
///
/// A lookup takes a lock and a table access. Code that counts often should keep the instrument.
public final class MetricFamily<Labels: MetricLabels, Instrument: Sendable>: Sendable {
    private let make: @Sendable ([(String, String)]) -> Instrument
    private let made = Mutex<[Labels: Instrument]>([:])

    init(_ make: @escaping @Sendable ([(String, String)]) -> Instrument) { self.make = make }

    /// The instrument of a series.
    public subscript(labels: Labels) -> Instrument {
        made.withLock { made in
            if let instrument = made[labels] { return instrument }
            let instrument = make(labels.pairs)
            made[labels] = instrument
            return instrument
        }
    }
}

/// The instruments of this package: each is declared where it is created, with its name, its kind and its meaning. A
/// metrics factory of another package gets the name alone.
extension MetricsFactory {
    /// Creates a counter: a number that only grows. Its name ends in `_total`.
    public func counter(_ name: String, _ help: String) -> Counter {
        declare(Metric(name, .counter, help))
        return Counter(label: name, factory: self)
    }

    /// Creates counters by labels. Their name ends in `_total`.
    public func counters<Labels: MetricLabels>(
        _ name: String, _ help: String, by labels: Labels.Type
    ) -> MetricFamily<Labels, Counter> {
        declare(Metric(name, .counter, help))
        return MetricFamily { Counter(label: name, dimensions: $0, factory: self) }
    }

    /// Creates a gauge: a number that goes up and down.
    public func gauge(_ name: String, _ help: String) -> Meter {
        declare(Metric(name, .gauge, help))
        return Meter(label: name, factory: self)
    }

    /// Creates a distribution of times. Its name ends in `_seconds`.
    public func timer(_ name: String, _ help: String) -> Timer {
        declare(Metric(name, .histogram, help))
        return Timer(label: name, preferredDisplayUnit: .seconds, factory: self)
    }

    /// Creates distributions of times by labels. Their name ends in `_seconds`.
    public func timers<Labels: MetricLabels>(
        _ name: String, _ help: String, by labels: Labels.Type
    ) -> MetricFamily<Labels, Timer> {
        declare(Metric(name, .histogram, help))
        return MetricFamily {
            Timer(label: name, dimensions: $0, preferredDisplayUnit: .seconds, factory: self)
        }
    }

    /// Creates a distribution of numbers that are not times.
    public func histogram(_ name: String, _ help: String, _ buckets: Buckets) -> Recorder {
        declare(Metric(name, .histogram, help, buckets: buckets))
        return Recorder(label: name, factory: self)
    }

    private func declare(_ metric: Metric) { (self as? MetricsRegistry)?.declare(metric) }
}

extension Timer {
    /// Records the time since an instant.
    public func record(since start: ContinuousClock.Instant) { record(ContinuousClock.now - start) }

    /// Records a time.
    public func record(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
