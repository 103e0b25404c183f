import Testing

@testable import Tree

@Suite("A store of the first layout is converted to the present one")
struct FirstFormatTests {
    /// The encoding of a text key. A number key has a `last` byte, by which the first layout distinguishes "-"; nil is
    /// the canonical text.
    private static func text(_ key: String) -> [UInt8] { [0x20] + Array(key.utf8) + [0] }
    private static func number(_ number: UInt8, last: UInt8? = nil) -> [UInt8] {
        [0x10, 0x80, 0, 0, number] + (last.map { [1, 0, 1, $0] } ?? [0])
    }
    private static func double(_ value: Double) -> [UInt8] {
        [4] + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * $0)) }
    }

    /// The rows of the first layout: key, leaf, and the path and value after the conversion.
    private static let rows: [(key: [UInt8], leaf: [UInt8], path: TreePath, value: TreeValue)] = [
        (text("a") + text("b"), [5] + Array("words".utf8), "a/b", "words"),
        (text("a") + number(7), [2], "a/7", true),
        (text("a") + number(7, last: 1), [1], "a/07", false),
        (text("a") + number(0, last: 0), double(2), "a/-0", 2),
        (text("a") + number(3, last: 1) + text("c"), double(2.5), "a/03/c", 2.5),
        (text("uploads") + number(9, last: 1), [2], TreePath(["uploads", "09"], in: named), true),
        (text("uploadsnot"), [2], "uploadsnot", true),
    ]
    private static let named = Namespace(reserved: "pipeline")

    /// Fills an engine with these rows, a number of other rows, and 17 changes.
    private func fill(_ engine: any Engine, others: Int = 0) async throws {
        try await engine.write { transaction throws(TreeError) in
            try transaction.put([1], for: StoreFormat.versionKey)
            for row in Self.rows { try transaction.put(row.leaf, for: [0x10] + row.key) }
            for number in 0..<others { try transaction.put([2], for: [0x10] + Self.text("z\(number)")) }
            for change: UInt8 in 1...17 {
                try transaction.put([0, 0, 1, 2, 3, 4, 5, change, 9, 9], for: [2, 0, 0, 0, 0, 0, 0, 0, change])
            }
        }
    }

    @Test(
        "Each value keeps its path, and the service's own values move to a tree of their own",
        arguments: EngineKind.allCases)
    func values(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            try await fill(engine, others: 2500)
            #expect(try await FirstFormat.isUsed(by: engine))
            await expectCode(.unsupportedFormat) { _ = try await TreeStore(engine: engine, isMaintained: false) }
            // The second call changes nothing.
            for _ in 0..<2 { try await FirstFormat.bringForward(engine, moving: ["uploads"], to: Self.named) }
            #expect(try await !FirstFormat.isUsed(by: engine))
            let tree = try await TreeStore(engine: engine, isMaintained: false)
            for row in Self.rows {
                let value = try await tree.get(row.path)
                #expect(value == row.value, "\(row.path)")
            }
            #expect(try await tree.get("uploads") == nil)
            #expect(try await tree.keys(of: .root).count == 2502)
            await tree.close()
        }
    }

    @Test("Positions continue from the old ones, and changes before the conversion are no longer available")
    func changes() async throws {
        try await withEngine(.memory) { engine in
            try await fill(engine)
            try await FirstFormat.bringForward(engine, moving: [], to: Self.named)
            let tree = try await TreeStore(engine: engine, isMaintained: false)
            let last = SyncToken(sequence: 17)
            #expect(try await tree.token == last)
            let token = try await tree.set("a/b", to: 1)
            #expect(token == SyncToken(sequence: 18))
            #expect(try await tree.changes(since: last, limit: 10).map(\.token) == [token])
            await expectCode(.tokenTooOld) { _ = try await tree.changes(since: SyncToken(sequence: 12), limit: 10) }
            await tree.close()
        }
    }

    @Test("Unreadable rows are reported, and nothing is changed")
    func damaged() async throws {
        try await withEngine(.memory) { engine in
            try await fill(engine)
            try await engine.write { transaction throws(TreeError) in
                try transaction.put([77], for: [0x10] + Self.text("y"))
            }
            let before = try await keys(of: engine)
            await expectCode(.corrupt) {
                try await FirstFormat.bringForward(engine, moving: ["uploads"], to: Self.named)
            }
            #expect(try await keys(of: engine) == before)
        }
    }
}
