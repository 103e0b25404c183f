/// Metrics as text, in the format of Prometheus ("Exposition formats", version 0.0.4).
public struct Exposition: Sendable {
    /// The media type of the text.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The lines, each with its line end.
    public private(set) var text = ""

    /// Creates an empty text.
    public init() {}

    /// Begins a metric; its samples follow. A metric without a declaration has no help text.
    public mutating func begin(_ metric: Metric) {
        let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        if !help.isEmpty { text += "# HELP \(metric.name) \(help)\n" }
        text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
    }

    /// Adds a sample.
    ///
    ///   - name: The metric's name, with a suffix for the parts of a histogram.
    ///   - name: The metric's name, with a suffix for the parts of a histogram.
    ///   - labels: The labels, each once.
    ///   - value: A number, as text.
    mutating func add(_ name: String, _ labels: [MetricLabel], _ value: String) {
        let pairs = labels.map { "\(Metric.valid($0.name))=\"\(Self.escaped($0.value))\"" }
        text += pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    /// Adds a metric with one sample, whose value is read when it is shown.
    public mutating func add(_ metric: Metric, _ value: Int) {
        begin(metric)
        add(metric.name, [], String(value))
    }

    /// Adds a metric with one sample, a time in seconds.
    mutating func add(_ metric: Metric, seconds: Double) {
        begin(metric)
        add(metric.name, [], "\(seconds)")
    }

    /// Adds a metric with a sample for each value of a label, whose values are read when they are shown.
    public mutating func add(_ metric: Metric, by label: String, _ values: [(value: String, count: Int)]) {
        begin(metric)
        for (value, count) in values { add(metric.name, [MetricLabel(label, value)], String(count)) }
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// A label of a series, such as `method="GET"`.
struct MetricLabel: Hashable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }
}
