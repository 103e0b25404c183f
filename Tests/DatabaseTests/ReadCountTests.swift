import Access
import Database
import TestSupport
import Testing
import Tree

@Suite("Row counts of a session's reads")
struct ReadCountTests {
    private final class Receiver: EventReceiver {
        func receive(_ event: TreeEvent, for listeners: [UInt64]) {}
        func cancel(_ listeners: [UInt64]) {}
        func end() {}
    }

    /// A read, with the least and the largest number of rows that it visits.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: TreePath
        var query: TreeQuery?
        let rows: ClosedRange<Int>
    }

    static let rows = [
        Row(testDescription: "a leaf", path: "all/k7", rows: 1...20),
        Row(testDescription: "all children", path: "all", rows: 1000...1100),
        Row(
            testDescription: "two by key", path: "all", query: try? TreeQuery(order: .key, limit: .first(2)),
            rows: 2...20),
        Row(
            testDescription: "one by a value without an index", path: "all",
            query: try? TreeQuery(order: .value, limit: .first(1)), rows: 1000...10_000),
    ]

    private func withChildren(_ body: @Sendable (Fixture) async throws -> Void) async throws {
        try await withDatabase { fixture in
            let members = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
            try await fixture.tree.update(JSONUpdate(.value, at: "all", json: "{\(members)}".utf8))
            try await body(fixture)
        }
    }

    @Test("A read counts the rows that it visits, not those of its answer", arguments: rows)
    func reads(row: Row) async throws {
        try await withChildren { fixture in
            let read = RowCounter()
            let session = fixture.database.session(as: .anonymous, reader: read.reader)
            let request = ReadRequest(.value(.plain), at: row.path, matching: row.query, unindexed: .scanned)
            _ = try await session.get(request)
            #expect(row.rows.contains(read.count), "\(read.count)")
        }
    }

    @Test(
        "A listener's first value counts against its client, also beside other listeners; later changes do not",
        arguments: rows)
    func listening(row: Row) async throws {
        try await withChildren { fixture in
            let request = ListenRequest(at: row.path, matching: row.query, unindexed: .scanned)
            let (receiver, clients) = (Receiver(), [RowCounter(), RowCounter()])
            var begun: [Listener] = []
            for client in clients {
                let session = fixture.database.session(as: .anonymous, reader: client.reader)
                _ = try await session.listen(to: request, in: TextFrame(), notifying: receiver) { begun.append($0) }
            }
            let counts = clients.map(\.count)
            for count in counts {
                // A window is read as a text, and as the state that changes are applied to.
                #expect(row.rows.lowerBound...3 * row.rows.upperBound ~= count, "\(count)")
            }
            // Without the first child, the windows of both queries must be read again.
            try await fixture.tree.set("all/k0", to: nil)
            await fixture.database.waitForEvents(of: begun)
            #expect(clients.map(\.count) == counts)
            for listener in begun { fixture.stranger.stopListening(listener) }
        }
    }
}
