public import CoreMetrics
import Synchronization

/// The metrics of one service. It creates the instruments of swift-metrics, keeps their numbers, and shows them as
/// text.
///
/// There is no global registry: code that creates instruments is passed one, as a `MetricsFactory`. It may be used from
/// any thread. Creating an instrument takes a lock; using one does not. Counters, meters, recorders and timers become
/// counters, gauges and histograms; times are recorded in nanoseconds and shown in seconds.
public final class MetricsRegistry: MetricsFactory {
    private struct Family {
        let metric: Metric
        var cells: [[MetricLabel]: any MetricCell] = [:]
    }

    /// The metrics, by name.
    private let families = Mutex<[String: Family]>([:])

    /// Creates an empty registry.
    public init() {}

    /// Declares a metric before its instruments are created. A name keeps its first declaration.
    public func declare(_ metric: Metric) {
        families.withLock { families in
            if families[metric.name] == nil { families[metric.name] = Family(metric: metric) }
        }
    }

    /// Adds all metrics to a text, in the order of their names, each with its series in the order of their labels.
    public func write(to text: inout Exposition) {
        let families = families.withLock { Array($0.values) }
        for family in families.sorted(by: { $0.metric.name < $1.metric.name }) {
            text.begin(family.metric)
            let cells = family.cells.sorted { one, other in
                one.key.lazy.map(\.value).lexicographicallyPrecedes(other.key.lazy.map(\.value))
            }
            for (labels, cell) in cells { cell.write(to: &text, family.metric, labels) }
        }
    }

    // MARK: MetricsFactory

    /// Creates the numbers of a counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, .counter, dimensions) as CounterCell
    }

    /// Creates the numbers of a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(label, .gauge, dimensions) as GaugeCell
    }

    /// Creates the numbers of a histogram, or of a gauge if `aggregate` is false.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate
            ? cell(label, .histogram, dimensions) as HistogramCell : cell(label, .gauge, dimensions) as GaugeCell
    }

    /// Creates the numbers of a histogram of times.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, .histogram, dimensions) as HistogramCell
    }

    /// Removes a counter from the exposition.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a gauge from the exposition.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a recorder from the exposition.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a timer from the exposition.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// Returns the numbers of a series. An instrument whose kind is not the declared one gets numbers that are never
    /// shown.
    private func cell<Cell: MetricCell>(
        _ name: String, _ kind: Metric.Kind, _ dimensions: [(String, String)]
    ) -> Cell {
        let labels = dimensions.map { MetricLabel($0.0, $0.1) }
        let name = Metric.valid(name)
        return families.withLock { families in
            let metric = families[name]?.metric ?? Metric(name, kind, "")
            let present = families[name]?.cells[labels]
            if let present = present as? Cell { return present }
            let cell = Cell(metric)
            if metric.kind == kind { families[name, default: Family(metric: metric)].cells[labels] = cell }
            return cell
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            families = families.mapValues { family in
                var family = family
                family.cells = family.cells.filter { $0.value !== handler }
                return family
            }
        }
    }
}
