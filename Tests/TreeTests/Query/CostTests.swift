import Synchronization
import Testing

@testable import Tree

/// The cost of a query is in proportion to its answer, not to the number of children.
@Suite struct CostTests {
    static let queries: [@Sendable () throws -> TreeQuery] = [
        { try TreeQuery(order: .child("rank"), limit: .first(5)) },
        { try TreeQuery(order: .child("rank"), limit: .last(5)) },
        { try TreeQuery(order: .child("rank"), from: .init(3), to: .init(7), limit: .first(5)) },
        { try TreeQuery(order: .child("rank"), equalTo: .init(7)) },
        { try TreeQuery(order: .key, from: .init("k5"), limit: .first(1)) },
    ]

    @Test("an indexed, limited query reads as many rows of 10,000 children as of 10")
    func cost() async throws {
        let (few, many) = (try await rowsRead(ofChildren: 10), try await rowsRead(ofChildren: 10_000))
        // Each child has an index entry and two rows.
        #expect(few == many)
        #expect(few == [15, 15, 15, 3, 3])
    }

    private func rowsRead(ofChildren count: Int) async throws -> [Int] {
        let engine = CountingEngine(MemoryEngine())
        let store = try await TreeStore(engine: engine, isMaintained: false)
        try await store.setRules(#"{ "rules": { "list": { ".indexOn": "rank" } } }"#)
        let children = (0..<count).map { number in
            (TreeKey(unchecked: "k\(number)"), ["rank": .integer(Int64(number)), "text": "x"] as TreeValue)
        }
        try await store.set("list", to: .object(Dictionary(uniqueKeysWithValues: children)))
        try await store.finishMaintenance()
        var rows: [Int] = []
        for query in Self.queries {
            let query = try query()
            engine.scanned.store(0, ordering: .relaxed)
            _ = try await store.snapshot { try $0.json(of: "list", matching: query) }
            rows.append(engine.scanned.load(ordering: .relaxed))
        }
        return rows
    }

    @Test("a transaction in a tree without rules costs one search, and reads no row")
    func withoutRules() async throws {
        let engine = CountingEngine(MemoryEngine())
        let store = try await TreeStore(engine: engine, isMaintained: false)
        try await store.set("a/b", to: 1)
        engine.lookups.store(0, ordering: .relaxed)
        var update = MultiPathUpdate()
        for key in ["a/c", "a/d", "d"] as [TreePath] { update[key] = 2 }
        try await store.update(update)
        #expect(engine.lookups.load(ordering: .relaxed) == 1)
    }
}

/// An engine that counts the reads from another engine.
private final class CountingEngine: Engine {
    let scanned = Atomic(0)
    let lookups = Atomic(0)
    private let base: any Engine
    var logBytes: Int { base.logBytes }

    init(_ base: any Engine) { self.base = base }

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(size) { snapshot throws(TreeError) in try body(Rows(engine: self, base: snapshot)) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        let counted = { @Sendable (transaction: any EngineTransaction) throws(TreeError) in
            try body(WritableRows(rows: Rows(engine: self, base: transaction), base: transaction))
        }
        return try await base.write(counted, committed: committed)
    }

    func close() async { await base.close() }

    private struct Rows: EngineSnapshot {
        let engine: CountingEngine
        let base: any EngineSnapshot

        func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? {
            engine.lookups.add(1, ordering: .relaxed)
            return try base.value(for: key)
        }

        func scan(
            _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
        ) throws(TreeError) {
            try base.scan(range, reverse: reverse) { key, value throws(TreeError) in
                engine.scanned.add(1, ordering: .relaxed)
                return try visit(key, value)
            }
        }
    }

    private struct WritableRows: EngineTransaction {
        let rows: Rows
        let base: any EngineTransaction

        func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try rows.value(for: key) }

        func scan(
            _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
        ) throws(TreeError) { try rows.scan(range, reverse: reverse, visit) }

        func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError) { try base.put(value, for: key) }

        func remove(_ range: ByteRange) throws(TreeError) { try base.remove(range) }
    }
}
