import TestSupport
import Testing

@testable import Tree

/// Random operations on the store and on the naive tree give the same answers.
@Suite struct PropertyTests {
    @Test("10,000 random operations agree with a naive tree", arguments: EngineKind.allCases)
    func agreesWithNaiveTree(kind: EngineKind) async throws {
        try await agreesWithNaiveTree(kind, operations: 10_000)
    }

    @Test(
        "10,000 random operations agree with a naive tree after staged and half-finished writes, too",
        arguments: EngineKind.allCases)
    func agreesWhileStaged(kind: EngineKind) async throws {
        try await agreesWithNaiveTree(kind, operations: 1000, minRowsOfLargeWrite: 1)
    }

    private func agreesWithNaiveTree(
        _ kind: EngineKind, operations: Int, minRowsOfLargeWrite: Int = 20_000
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var naive = NaiveTree()
        try await withEngine(kind) { engine in
            let store = try await TreeStore(
                engine: engine, minRowsOfLargeWrite: minRowsOfLargeWrite, piece: StagingEngine.Piece(rows: 2))
            for step in 0..<operations {
                let hint: Comment = "seed \(seed), step \(step)"
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1: try await set(store, &naive, &random, hint)
                case 2, 3: try await update(store, &naive, &random, hint)
                case 4: try await get(store, naive, &random, hint)
                case 5, 6: try await page(store, naive, &random, hint)
                default: try await snapshot(store, naive, &random, hint)
                }
            }
            #expect(try await store.get(.root) == naive.value, "seed \(seed)")
        }
    }

    private func set(
        _ store: TreeStore, _ naive: inout NaiveTree, _ random: inout SeededGenerator, _ hint: Comment
    ) async throws {
        // The root is rarely written, or the tree would never grow.
        let path = random.chance(3) ? .root : random.path() / random.key()
        let value = random.optionalValue()
        try await store.set(path, to: value)
        naive.set(path, to: value)
        #expect(try await store.get(path) == naive.get(path), hint)
    }

    private func update(
        _ store: TreeStore, _ naive: inout NaiveTree, _ random: inout SeededGenerator, _ hint: Comment
    ) async throws {
        let update = random.update(on: naive)
        let expected: TreeError.Code? =
            if update.hasConflictingPaths {
                .conflictingPaths
            } else if !update.preconditions.allSatisfy(naive.holds) {
                .preconditionFailed
            } else {
                nil
            }
        do {
            try await store.update(update)
            #expect(expected == nil, hint)
            for (path, value) in update.values { naive.set(path, to: value) }
        } catch {
            #expect(error.code == expected, hint)
        }
    }

    private func get(
        _ store: TreeStore, _ naive: NaiveTree, _ random: inout SeededGenerator, _ hint: Comment
    ) async throws {
        let path = random.path()
        #expect(try await store.get(path) == naive.get(path), hint)
    }

    private func page(
        _ store: TreeStore, _ naive: NaiveTree, _ random: inout SeededGenerator, _ hint: Comment
    ) async throws {
        let (path, range) = (random.path(maxDepth: 2), random.range())
        let order: KeyOrder = random.chance(50) ? .ascending : .descending
        let limit = random.chance(50) ? nil : Int.random(in: 0...5, using: &random)
        var expected = naive.children(of: path).filter { range.contains($0.key) }
        if order == .descending { expected.reverse() }
        expected = Array(expected.prefix(limit ?? .max))
        #expect(try await store.children(of: path, range: range, order: order, limit: limit) == expected, hint)
        #expect(try await store.keys(of: path, range: range, order: order, limit: limit) == expected.map(\.key), hint)
    }

    private func snapshot(
        _ store: TreeStore, _ naive: NaiveTree, _ random: inout SeededGenerator, _ hint: Comment
    ) async throws {
        let (first, second) = (random.path(), random.path())
        try await store.snapshot { snapshot throws in
            #expect(try snapshot.get(first) == naive.get(first), hint)
            #expect(try snapshot.exists(second) == (naive.get(second) != nil), hint)
            #expect(try snapshot.children(of: first) == naive.children(of: first), hint)
        }
    }
}
