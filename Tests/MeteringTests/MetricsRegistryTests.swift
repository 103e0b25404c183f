import CoreMetrics
import TestSupport
import Testing

@testable import Metering

@Suite("The registry of metrics")
struct MetricsRegistryTests {
    private enum Colour: String, MetricLabels {
        case red, blue

        var pairs: [(String, String)] { [("colour", rawValue), ("kind", "test")] }
    }

    private let registry = MetricsRegistry()

    private var text: String {
        var text = Exposition()
        registry.write(to: &text)
        return text.text
    }

    @Test("Each kind of instrument is shown with its help, type and series, in the order of names and labels")
    func kinds() throws {
        let counters = registry.counters("b_total", "Things of a colour.", by: Colour.self)
        counters[.red].increment()
        counters[.red].increment(by: 41)
        counters[.blue].increment()
        let gauge = registry.gauge("a", "A level.")
        gauge.set(2.5)
        gauge.increment(by: 1.0)
        gauge.decrement()
        registry.histogram("c_bytes", "Sizes.", Buckets([10, 100])).record(10)
        registry.histogram("c_bytes", "Sizes.", Buckets([10, 100])).record(11.4)
        registry.histogram("c_bytes", "Sizes.", Buckets([10, 100])).record(1_000)
        registry.counter("d_total", "Nothing yet.").increment(by: 0)
        #expect(
            text == """
                # HELP a A level.
                # TYPE a gauge
                a 2.5
                # HELP b_total Things of a colour.
                # TYPE b_total counter
                b_total{colour="blue",kind="test"} 1
                b_total{colour="red",kind="test"} 42
                # HELP c_bytes Sizes.
                # TYPE c_bytes histogram
                c_bytes_bucket{le="10"} 1
                c_bytes_bucket{le="100"} 2
                c_bytes_bucket{le="+Inf"} 3
                c_bytes_sum 1021
                c_bytes_count 3
                # HELP d_total Nothing yet.
                # TYPE d_total counter
                d_total 0

                """)
        _ = try Scrape(text)
    }

    @Test(
        "A time belongs to the first bucket whose bound is not below it",
        arguments: [
            (Duration.zero, "0.0001"), (.microseconds(100), "0.0001"), (.nanoseconds(100_001), "0.00025"),
            (.milliseconds(1), "0.001"), (.seconds(1), "1"), (.milliseconds(1_001), "2.5"), (.seconds(60), "60"),
            (.seconds(61), "+Inf"), (.seconds(-1), "0.0001"), (.seconds(9_000_000_000), "+Inf"),
        ])
    func times(time: Duration, bound: String) throws {
        registry.timer("t_seconds", "Times.").record(time)
        let scrape = try Scrape(text)
        let first = scrape.samples("t_seconds_bucket").first { $0.value == 1 }
        #expect(first?.labels["le"] == bound)
        #expect(scrape.value("t_seconds_bucket", ["le": "+Inf"]) == 1)
    }

    @Test("Sums of times are in seconds")
    func sum() throws {
        let timer = registry.timer("t_seconds", "Times.")
        for time in [Duration.milliseconds(1), .seconds(2), .microseconds(500)] { timer.record(time) }
        let scrape = try Scrape(text)
        #expect(scrape.value("t_seconds_sum") == 2.0015 && scrape.value("t_seconds_count") == 3)
    }

    @Test(
        "A label may have any value, and is read back unchanged",
        arguments: ["plain", "quo\"te", "back\\slash", "line\nbreak", "Zürich 🌄", "\\n", ""])
    func escapes(value: String) throws {
        registry.declare(Metric("a_total", .counter, "A."))
        Counter(label: "a_total", dimensions: [("label", value)], factory: registry).increment()
        registry.declare(Metric("b_total", .counter, "A \\ and\na line."))
        let scrape = try Scrape(text)
        #expect(scrape.samples("a_total").map(\.labels) == [["label": value]])
        #expect(scrape.families["b_total"]?.help == "A \\\\ and\\na line.")
    }

    @Test(
        "An undeclared instrument is shown under a valid name",
        arguments: [("http.requests", "http_requests"), ("2nd", "_2nd"), ("", "_"), ("größe", "gr____e")])
    func names(label: String, name: String) throws {
        Counter(label: label, factory: registry).increment(by: 3)
        #expect(text.hasSuffix("# TYPE \(name) counter\n\(name) 3\n"), "\(text)")
    }

    @Test("An instrument of another kind with an existing name does not change the output")
    func conflict() throws {
        let counter = registry.counter("a_total", "A.")
        Recorder(label: "a_total", factory: registry).record(7)
        registry.declare(Metric("a_total", .gauge, "B."))
        counter.increment()
        #expect(text == "# HELP a_total A.\n# TYPE a_total counter\na_total 1\n")
    }

    @Test("Instruments with one name and the same labels share a series until one is destroyed")
    func series() throws {
        let one = Timer(label: "t_seconds", dimensions: [("a", "1")], factory: registry)
        let other = Timer(label: "t_seconds", dimensions: [("a", "1")], factory: registry)
        one.record(.seconds(1))
        other.record(.seconds(1))
        #expect(text.contains("t_seconds_count{a=\"1\"} 2\n"))
        other.destroy()
        #expect(!text.contains("t_seconds_count"))
    }

    @Test("A gauge, which swift-metrics calls a recorder, shows the last value")
    func gauge() throws {
        let gauge = Gauge(label: "level", factory: registry)
        for value in [3.0, 0.25] { gauge.record(value) }
        #expect(text.hasSuffix("# TYPE level gauge\nlevel 0.25\n"))
        gauge.record(Double.infinity)
        #expect(text.hasSuffix("level +Inf\n"))
    }

    @Test("Concurrent counts are all recorded")
    func concurrency() async throws {
        let counters = registry.counters("a_total", "A.", by: Colour.self)
        let timer = registry.timer("t_seconds", "T.")
        let gauge = registry.gauge("g", "G.")
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    for _ in 0..<5_000 {
                        counters[index % 2 == 0 ? .red : .blue].increment()
                        timer.record(.milliseconds(1))
                        gauge.increment()
                        if index % 2 == 0 { gauge.decrement() }
                    }
                }
            }
        }
        let scrape = try Scrape(text)
        #expect(scrape.value("a_total", ["colour": "red"]) == 20_000)
        #expect(scrape.value("a_total", ["colour": "blue"]) == 20_000)
        #expect(scrape.value("t_seconds_count") == 40_000 && scrape.value("t_seconds_sum") == 40)
        #expect(scrape.value("g") == 20_000)
    }

    @Test(
        "The reader of these tests refuses malformed texts",
        arguments: [
            "", "x 1\n", "# HELP x x\n# TYPE x gauge\nx 1", "# HELP x x\n# TYPE x gauge\ny 1\n",
            "# HELP x x\n# TYPE x gauge\nx 1\nx 1\n", "# HELP x x\n# TYPE x gauge\nx{a=\"1} 1\n",
            "# HELP x x\n# TYPE x gauge\nx{a=\"\\t\"} 1\n", "# HELP x x\n# TYPE x gauge\nx{a=\"1\",a=\"1\"} 1\n",
            "# HELP x x\nx 1\n", "# HELP x x\n# TYPE x thing\n", "# HELP x x\n# TYPE x counter\nx -1\n",
            "# HELP x x\n# TYPE x gauge\nx one\n", "# HELP x x\n# TYPE x gauge\n\n",
            "# HELP x x\n# TYPE x histogram\nx_bucket{le=\"1\"} 1\nx_sum 1\nx_count 1\n",
            "# HELP x x\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"+Inf\"} 1\nx_sum 1\nx_count 1\n",
            "# HELP x x\n# TYPE x gauge\n# HELP x x\n# TYPE x gauge\n",
        ])
    func strictness(text: String) {
        #expect(throws: Scrape.Problem.self) { try Scrape(text) }
    }
}
