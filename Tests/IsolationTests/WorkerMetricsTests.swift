import Metering
import TestSupport
import Testing

@testable import Isolation

@Suite("The metrics of render workers", .timeLimit(.minutes(10)))
struct WorkerMetricsTests {
    @Test(
        "Starts are counted, and ends without an answer are counted by their cause",
        arguments: [
            ("segmentationFault", "signal"), ("exit", "exit"), ("loop", "cpu_time"), ("noise", "message"),
            ("hangUp", "socket"),
        ])
    func failures(behaviour: String, cause: String) async throws {
        let registry = MetricsRegistry()
        let renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(cpuSeconds: 1), metrics: registry)
        await #expect(throws: IsolationError.self) { try await renderer.render(Rogue.photo(behaviour)) }
        _ = try await renderer.render(try Fixture.bytes("size-24x16.jpg"))
        var text = Exposition()
        registry.write(to: &text)
        let scrape = try Scrape(text.text)
        let failures = scrape.samples("tintype_render_worker_failures_total")
        #expect(failures.map(\.labels) == [["cause": cause]] && failures.map(\.value) == [2], "\(failures)")
        #expect(scrape.value("tintype_render_workers_started_total") == 3)
    }
}
