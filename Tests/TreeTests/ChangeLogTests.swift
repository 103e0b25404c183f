import Testing

@testable import Tree

@Suite struct ChangeLogTests {
    @Test("changes come in order, whole, and page by page", arguments: EngineKind.allCases)
    func order(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, changeLogLimit: 100, clock: { 1_234 })
            #expect(try await store.changes(since: .start, limit: 10) == [])
            try await store.set("a", to: ["x": 1.0, "e": [:], "y": ["z": "é", "0": true]])
            await expectCode(.preconditionFailed) { try await store.set("a", to: 2, if: [.absent("a")]) }
            #expect(try await store.update(MultiPathUpdate()).sequence == 1)
            #expect(try await store.set("a/x", to: 1).sequence == 1, "nothing changes")
            var update = MultiPathUpdate()
            update["b/10"] = 0.5
            update["b/9"] = nil
            try await store.update(update)
            try await store.set(.root, to: "leaf")
            let changes = try await store.changes(since: .start, limit: 10)
            #expect(changes.map(\.token.sequence) == [1, 2, 3])
            #expect(changes.allSatisfy { $0.timestampMilliseconds == 1_234 })
            #expect(
                changes.map(\.writes) == [
                    [TreeWrite(path: "a", value: ["x": 1, "y": ["z": "é", "0": true]])],
                    [TreeWrite(path: "b/10", value: 0.5)],
                    [TreeWrite(path: "", value: "leaf")],
                ])
            #expect(try await store.changes(since: changes[0].token, limit: 1) == [changes[1]])
            #expect(try await store.changes(since: changes[2].token, limit: 1) == [])
            #expect(try await store.changes(since: .start, limit: 0) == [])
        }
    }

    @Test("replaying the log gives the tree", arguments: EngineKind.allCases)
    func replay(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withStore(kind) { store throws in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<8 {
                    tasks.addTask {
                        var random = SeededGenerator(seed: seed &+ UInt64(writer))
                        for _ in 0..<50 { try await store.set(random.path(), to: random.optionalValue()) }
                    }
                }
                try await tasks.waitForAll()
            }
            var replayed = NaiveTree()
            var token = SyncToken.start
            while let page = Optional(try await store.changes(since: token, limit: 37)), let last = page.last {
                #expect(page.map(\.token.sequence) == Array(token.sequence + 1...last.token.sequence))
                for change in page { replayed.apply(change.writes) }
                token = last.token
            }
            #expect((1...400).contains(token.sequence))
            #expect(try await store.get(.root) == replayed.value, "seed \(seed)")
        }
    }

    @Test("a trimmed token is refused, one that is kept is not", arguments: EngineKind.allCases)
    func trimming(kind: EngineKind) async throws {
        try await withStore(kind, changeLogLimit: 16) { store throws in
            for number in 1...100 as ClosedRange<UInt64> {
                try await store.set("n", to: .integer(Int64(number)))
                // The last sixteen are always kept.
                let token = SyncToken(sequence: number < 16 ? 0 : number - 16)
                #expect(try await store.changes(since: token, limit: 100).count == min(Int(number), 16))
            }
            let error = await expectCode(.tokenTooOld) { _ = try await store.changes(since: .start, limit: 1) }
            #expect(error?.hint != nil)
            let kept = try await store.changes(since: SyncToken(sequence: 84), limit: 100)
            #expect(kept.map(\.token.sequence) == Array(85...100))
            await expectCode(.tokenTooOld) { _ = try await store.changes(since: SyncToken(sequence: 80), limit: 1) }
            await expectCode(.tokenUnknown) { _ = try await store.changes(since: SyncToken(sequence: 101), limit: 1) }
            await expectCode(.tokenUnknown) { _ = try await store.changes(since: SyncToken(sequence: .max), limit: 1) }
        }
    }
}
