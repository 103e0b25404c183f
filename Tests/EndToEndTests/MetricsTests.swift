import Foundation
import TestSupport
import Testing

@Suite("The metrics of a running service", .timeLimit(.minutes(10)))
struct MetricsTests {
    /// A row of the table in Operations.md.
    struct Row: Equatable {
        let type: String
        let labels: Set<String>
    }

    /// Returns the metrics in Operations.md, by name.
    private static func documented() throws -> [String: Row] {
        let file = URL(filePath: Fixture.folder).deletingLastPathComponent().appending(
            path: "Documentation/Operations.md")
        var rows: [String: Row] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, ["`tintype_", "`process_"].contains(where: cells[1].hasPrefix) else { continue }
            let labels = cells[3].split(separator: ",").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            let name = cells[1].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            #expect(rows.updateValue(Row(type: cells[2], labels: Set(labels)), forKey: name) == nil, "\(name) twice")
            #expect(!cells[4].isEmpty, "\(name) has no meaning")
        }
        return rows
    }

    @Test("Operations.md has exactly the shown metrics, each with its type and its labels")
    func table() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            try await WireConnection.with(socket: daemon.storage + "/tintype.sock") { connection in
                try await connection.send(
                    "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
                #expect(await connection.read(through: "\n\n") != nil)
            }
            #expect(try await run(["store", "check", "--storage", daemon.storage]).status == 0)
            let scrape = try Scrape(try await daemon.get("/v1/metrics").text)
            let documented = try Self.documented()
            #expect(Set(scrape.families.keys).symmetricDifference(documented.keys).sorted() == [])
            for (name, family) in scrape.families {
                let row = try #require(documented[name])
                #expect(family.type == row.type, "\(name)")
                if !family.samples.isEmpty { #expect(family.labelNames == row.labels, "\(name)") }
                #expect((family.type == "counter") == name.hasSuffix("_total"), "\(name)")
                #expect(family.help.hasSuffix("."), "\(name)")
            }
            #expect(scrape.value("tintype_render_workers_started_total") >= 1)
            #expect(scrape.value("tintype_render_seconds_count", ["renderer": "worker", "outcome": "done"]) == 1)
            #expect(try await daemon.stop() == 0)
        }
    }
}
