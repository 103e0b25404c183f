import Foundation
import TestSupport
import Testing

@testable import Metering

@Suite("The figures of the process")
struct ProcessFiguresTests {
    private func scrape() throws -> Scrape {
        var text = Exposition()
        text.add(ProcessFigures())
        return try Scrape(text.text)
    }

    @Test("Each figure has Prometheus's usual name, its type, and a value that can be")
    func figures() throws {
        let scrape = try scrape()
        #expect(scrape.families["process_cpu_seconds_total"]?.type == "counter")
        #expect(scrape.value("process_cpu_seconds_total") > 0)
        #expect(scrape.value("process_resident_memory_bytes") > 1_000_000)
        #expect(scrape.value("process_virtual_memory_bytes") >= scrape.value("process_resident_memory_bytes"))
        #expect(scrape.value("process_max_fds") >= scrape.value("process_open_fds"))
        let start = scrape.value("process_start_time_seconds")
        #expect(start > 1_600_000_000 && start <= Date.now.timeIntervalSince1970 + 1)
    }

    @Test("The start stays the same in all readings, so that no restart is seen where there was none")
    func start() throws {
        #expect(try scrape().value("process_start_time_seconds") == scrape().value("process_start_time_seconds"))
    }
}
