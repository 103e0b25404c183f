import Concurrency
import Testing

@testable import Tree

/// Writes of very many rows: staged in short transactions, shown in one, finished in short ones.
@Suite("Large writes", .timeLimit(.minutes(20)))
struct StagingTests {
    /// Returns a value that is large for the stores of these tests.
    private static func value(_ number: Int64, count: Int = 60) -> TreeValue {
        .object(
            Dictionary(uniqueKeysWithValues: (0..<count).map { (TreeKey(unchecked: "key\($0)"), .integer(number)) }))
    }

    private func store(_ engine: any Engine, rows: Int = 2) async throws -> TreeStore {
        try await TreeStore(engine: engine, minRowsOfLargeWrite: 50, piece: StagingEngine.Piece(rows: rows))
    }

    @Test("Readers see all of a write or nothing, and other writes continue meanwhile", arguments: EngineKind.allCases)
    func atOnce(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await store(engine, rows: 20)
            try await store.set("place", to: Self.value(0))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                let isOver = WatchedValue(false)
                tasks.addTask {
                    for number in 1...5 as ClosedRange<Int64> {
                        try await store.set("place", to: Self.value(number, count: 50 + Int(number)))
                    }
                    isOver.change { $0 = true }
                }
                for writer in 0..<3 {
                    tasks.addTask {
                        var count: Int64 = 0
                        while !isOver.value {
                            let path = "beside" / (try TreeKey("\(writer)"))
                            try await store.set(path, to: .integer(count))
                            #expect(try await store.get(path) == .integer(count))
                            count += 1
                            await Task.yield()
                        }
                    }
                }
                tasks.addTask {
                    while !isOver.value {
                        let children = try await store.children(of: "place")
                        let numbers = Set(children.map(\.value))
                        #expect(numbers.count == 1, "of one write, not of two")
                        let number = children.first?.value.integerValue ?? -1
                        #expect(children.count == (number == 0 ? 60 : 50 + Int(number)))
                        let backwards = try await store.children(of: "place", order: .descending)
                        #expect(Set(backwards.map(\.value)).count == 1)
                        await Task.yield()
                    }
                }
                try await tasks.waitForAll()
            }
            #expect(try await store.get("place") == Self.value(5, count: 55))
            await store.close()
        }
    }

    @Test(
        "A write that was staged but not shown when a process ended is removed by the next process",
        arguments: EngineKind.allCases)
    func leftovers(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let before = try await store(engine)
            try await before.set("place", to: ["old": 1])
            await before.largeWrites.waitUntilSettled()
            let staging = try await StagingEngine(engine, piece: StagingEngine.Piece(rows: 7))
            try await staging.stage(try Self.write("place", Self.value(1)))
            let after = try await store(engine)
            #expect(try await after.get("place") == ["old": 1])
            // This write waits until the leftovers are deleted.
            try await after.set("other", to: Self.value(2))
            await after.largeWrites.waitUntilSettled()
            #expect(try await after.get(.root) == ["place": ["old": 1], "other": Self.value(2)])
            #expect(try await keys(of: engine).filter { $0[0] == StoreFormat.stagingKeyspace } == [])
        }
    }

    @Test(
        "A write that was shown when a process ended is there for the next process, which finishes it",
        arguments: EngineKind.allCases, [0, 1, 4, 100])
    func shown(kind: EngineKind, settledPieces: Int) async throws {
        try await withEngine(kind) { engine in
            let before = try await store(engine)
            try await before.set(.root, to: ["place": Self.value(1), "other": 1])
            await before.largeWrites.waitUntilSettled()
            let staging = try await StagingEngine(engine, piece: StagingEngine.Piece(rows: 9))
            let write = try Self.write("place", Self.value(2, count: 70))
            try await staging.stage(write)
            try await staging.write { transaction throws(TreeError) in try transaction.show(write) }
            for _ in 0..<settledPieces { _ = try await staging.settlePiece() }
            let isSettled = settledPieces == 100
            let version = try await engine.read { snapshot throws(TreeError) in
                try snapshot.value(for: StoreFormat.versionKey)
            }
            #expect(version == [isSettled ? StoreFormat.version : StoreFormat.versionWhileStaged])

            let after = try await store(engine)
            #expect(try await after.get("place") == Self.value(2, count: 70))
            var update = MultiPathUpdate()
            (update["place/key3"], update["place/new"], update["other"]) = (nil, 3, 2)
            try await after.update(update)
            await after.largeWrites.waitUntilSettled()
            var expected = Self.value(2, count: 70).object ?? [:]
            (expected["key3"], expected["new"]) = (nil, 3)
            #expect(try await after.get(.root) == ["place": .object(expected), "other": 2])
            #expect(try await keys(of: engine).count { $0[0] == StoreFormat.mainKeyspace } == 71)
        }
    }

    @Test(
        "No transaction puts more than a piece, whether the limit is in rows or in bytes",
        arguments: [
            (count: 100, length: 10, most: 20 * 30), (count: 5, length: 4000, most: 4100),
            (count: 1, length: 9000, most: 9100), (count: 0, length: 9000, most: 9100),
        ])
    func pieces(count: Int, length: Int, most: Int) async throws {
        let engine = MeteredEngine()
        let store = try await TreeStore(
            engine: engine, isMaintained: false, minRowsOfLargeWrite: 50, minBytesOfLargeWrite: 8000,
            piece: StagingEngine.Piece(rows: 20, bytes: 3000))
        func value(_ letter: String) throws -> TreeValue {
            let text = TreeValue.string(String(repeating: letter, count: length))
            guard count > 0 else { return text }
            return .object(
                Dictionary(uniqueKeysWithValues: (0..<count).map { (TreeKey(unchecked: "key\($0)"), text) }))
        }
        for letter in ["a", "b"] {
            try await store.set("place", to: value(letter))
            #expect(try await store.get("place") == value(letter))
            await store.largeWrites.waitUntilSettled()
            #expect(try await store.get("place") == value(letter))
        }
        #expect(engine.dataBytes.allSatisfy { $0 <= most }, "\(engine.dataBytes)")
        #expect(engine.dataBytes.count { $0 > 0 } >= 4, "staged twice, and settled twice")
        await store.close()
    }

    @Test("A large write of equal values changes nothing", arguments: EngineKind.allCases)
    func unchanged(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await store(engine)
            let token = try await store.set("place", to: Self.value(1))
            #expect(try await store.set("place", to: Self.value(1)) == token)
            await expectCode(.preconditionFailed) {
                try await store.set("place", to: Self.value(1), if: [.absent("place")])
            }
            #expect(try await store.set("place", to: Self.value(2)) != token)
        }
    }

    @Test(
        "Conditions are judged when the write is shown; a refused write leaves nothing", arguments: EngineKind.allCases)
    func refused(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await store(engine)
            try await store.set("place/leaf", to: 1)
            await expectCode(.preconditionFailed) {
                try await store.set("place", to: Self.value(1), if: [.absent("place/leaf")])
            }
            #expect(try await store.get(.root) == ["place": ["leaf": 1]])
            try await store.set("place/leaf", to: Self.value(2), if: [.exists("place/leaf")])
            #expect(try await store.get(.root) == ["place": ["leaf": Self.value(2)]])
            await store.largeWrites.waitUntilSettled()
            #expect(try await keys(of: engine).filter { $0[0] == StoreFormat.stagingKeyspace } == [])
        }
    }

    @Test(
        "A large write below a leaf replaces the leaf, and an index at the path is kept",
        arguments: EngineKind.allCases)
    func leavesAndIndexes(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await store(engine)
            try await store.set("a", to: 1)
            try await store.set("a/b", to: Self.value(1))
            #expect(try await store.get(.root) == ["a": ["b": Self.value(1)]])
            try await store.setRules(#"{"rules": {"scores": {".indexOn": ".value"}}}"#)
            try await store.set("scores", to: Self.value(7))
            try await store.set("scores/best", to: 8)
            let best = try await store.snapshot { snapshot in
                try snapshot.json(of: "scores", matching: TreeQuery(order: .value, limit: .last(1)))
            }
            #expect(String(decoding: best, as: UTF8.self) == #"{"best":8}"#)
        }
    }

    private static func write(_ path: TreePath, _ value: TreeValue) throws -> EncodedWrite {
        var update = MultiPathUpdate()
        update[path] = value
        return try #require(EncodedUpdate(update).onlyWrite)
    }
}
