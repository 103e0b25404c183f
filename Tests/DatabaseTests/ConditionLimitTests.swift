import Access
import Database
import Synchronization
import TestSupport
import Testing
import Tree

@Suite("The conditions of an update compare a limited amount", .timeLimit(.minutes(20)))
struct ConditionLimitTests {
    private static func members(_ count: Int) -> String {
        "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    }

    /// Nodes on which there are conditions, and the outcome for a client that is bound by rules.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The JSON of each node.
        let nodes: [String]
        let outcome: String
    }

    static let rows = [
        Row(testDescription: "10,000 values", nodes: [members(10_000)], outcome: "done"),
        Row(testDescription: "10,001 values", nodes: [members(10_001)], outcome: "too_large"),
        Row(
            testDescription: "12,000 values in two nodes", nodes: [members(6000), members(6000)], outcome: "too_large"),
        Row(
            testDescription: "a long text", nodes: ["\"\(String(repeating: "x", count: 1_000_000))\""], outcome: "done"),
        Row(
            testDescription: "a longer text", nodes: ["\"\(String(repeating: "x", count: 1 << 20))\""],
            outcome: "too_large"),
    ]

    private static func update(_ session: DatabaseSession, if conditions: [NodeCondition]) async throws {
        var write = try session.update(DatabasePath("small"))
        try write.receive(Array(#"{"x":1}"#.utf8).span)
        var terms = WriteTerms()
        terms.conditions = conditions
        _ = try await session.commit(write, on: terms)
    }

    /// Writes nodes, and returns the conditions that they have the values that they have.
    private static func conditions(_ nodes: [String], in fixture: Fixture) async throws -> [NodeCondition] {
        var conditions: [NodeCondition] = []
        for (number, json) in nodes.enumerated() {
            let path = try TreePath("large/n\(number)")
            try await fixture.tree.update(JSONUpdate(.value, at: path, json: json.utf8))
            let etag = try await fixture.tree.snapshot { try $0.etag(of: path) }
            conditions.append(NodeCondition(path, etag: etag))
        }
        return conditions
    }

    @Test(
        "A client that is bound by rules has a limit for all conditions together, and the owner has none",
        arguments: rows)
    func limits(row: Row) async throws {
        try await withDatabase { fixture in
            let conditions = try await Self.conditions(row.nodes, in: fixture)
            #expect(await outcome { try await Self.update(fixture.stranger, if: conditions) } == row.outcome)
            #expect(try await fixture.owner.text(of: "small") == (row.outcome == "done" ? #"{"x":1}"# : "null"))
            #expect(await outcome { try await Self.update(fixture.owner, if: conditions) } == "done")
            // The present ETags, which the answer to a failed update has, are limited as well.
            let broken = conditions.map { NodeCondition($0.path, etag: "other") }
            let answer = await outcome { _ = try await SeveralNodes(of: fixture.stranger).broken(broken) }
            #expect(answer == row.outcome)
        }
    }

    @Test("The commit has the limit too, whatever was checked before")
    func atCommit() async throws {
        try await withDatabase { fixture in
            _ = try await Self.conditions([Self.members(10_001)], in: fixture)
            var update = try JSONUpdate(.update, at: "small", json: #"{"x":1}"#.utf8)
            update.requester = Requester(auth: nil, mayUseTreesWithoutRules: true)
            update.conditions = [.etag("large", "other")]
            update.judgesConditions = true
            let code = await outcome { [update] in try await fixture.tree.update(update) }
            #expect(code == "too_large")
        }
    }

    @Test("Compared values are read for the client, and are part of the cost of the write; one that fails has no cost")
    func cost() async throws {
        try await withDatabase { fixture in
            let conditions = try await Self.conditions([Self.members(1000)], in: fixture)
            let costs = Mutex<[Int]>([])
            let read = RowCounter()
            let session = fixture.database.session(
                as: .anonymous, counting: { cost in costs.withLock { $0.append(cost) } }, reader: read.reader)
            let broken = conditions.map { NodeCondition($0.path, etag: "other") }
            #expect(await outcome { try await Self.update(session, if: broken) } == "precondition_failed")
            #expect(costs.withLock { $0 } == [])
            let before = read.count
            #expect(before >= 1000)
            try await Self.update(session, if: conditions)
            #expect(costs.withLock { $0 } == [1001])
            #expect(read.count >= before + 1000)
        }
    }
}
