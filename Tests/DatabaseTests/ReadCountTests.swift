import Access
import Database
import Synchronization
import TestSupport
import Testing
import Tree

@Suite("What a session's reads count")
struct ReadCountTests {
    private final class Rows: Sendable {
        let counts = Mutex<[Int]>([])
    }

    /// A read, and the least and the most rows that it goes over.
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

    @Test("A read counts the rows that it goes over, not those of its answer", arguments: rows)
    func reads(row: Row) async throws {
        try await withDatabase { fixture in
            let members = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
            try await fixture.tree.update(JSONUpdate(.value, at: "all", json: "{\(members)}".utf8))
            let read = Rows()
            let session = fixture.database.session(
                as: .anonymous, countingReads: { count in read.counts.withLock { $0.append(count) } })
            let request = ReadRequest(.value(.plain), at: row.path, matching: row.query, unindexed: .scanned)
            _ = try await session.get(request)
            let sum = read.counts.withLock { $0.reduce(0, +) }
            #expect(row.rows.contains(sum), "\(sum)")
        }
    }
}
