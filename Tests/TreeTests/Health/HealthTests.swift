import Foundation
import TestSupport
import Testing

@testable import Tree

/// A damaged store reports its damage, and refuses writes.
@Suite(.timeLimit(.minutes(20))) struct HealthTests {
    @Test("a sound store stays sound, also after refused updates", arguments: EngineKind.allCases)
    func sound(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("a", to: 1)
            await expectCode(.preconditionFailed) { try await store.set("a", to: 2, if: [.absent("a")]) }
            await expectCode(.tokenUnknown) { _ = try await store.changes(since: SyncToken(sequence: 9), limit: 1) }
            #expect(store.health.damage == nil && store.fault == nil)
            try store.health.check()
        }
    }

    private static let meetings: [(String, @Sendable (TreeStore) async throws -> Void)] = [
        ("a read", { _ = try await $0.get("a") }),
        ("a snapshot", { store in _ = try await store.snapshot { try $0.get("a") } }),
        ("a page", { _ = try await $0.children(of: .root) }),
        ("a write", { try await $0.set("b", to: 1, if: [.equals("a", 1)]) }),
    ]

    @Test(
        "a malformed row is reported, whichever read meets it, and all else continues",
        arguments: EngineKind.allCases, 0..<4)
    func malformedRow(kind: EngineKind, meeting: Int) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.set("good", to: 1)
            try await engine.write { transaction throws(TreeError) in
                try transaction.put([9], for: StoreFormat.dataKey("a"))
            }
            let waiting = Task { await store.health.waitForDamagedRows(beyond: 0) }
            #expect(store.health.finding == nil)
            let error = await expectCode(.corrupt) { try await Self.meetings[meeting].1(store) }
            await waiting.value
            #expect(error?.path == "a" && store.health.damagedRows.map(\.path) == ["a"])
            #expect(store.health.damage == nil && store.fault == nil)
            try await store.set("good", to: 2)
            try await store.probe()
            #expect(try await store.get("good") == 2)
        }
    }

    @Test("damage without a path refuses writes, and allows reads", arguments: EngineKind.allCases)
    func damagedStore(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.set("good", to: 1)
            try await store.setRules(Self.rules)
            try await engine.write { transaction throws(TreeError) in try transaction.put([1], for: [0x7F, 1]) }
            let waiting = Task { await store.health.waitForDamage() }
            let error = await expectCode(.corrupt) { try await store.healthCheck.round() }
            await waiting.value
            #expect(error?.message.contains("table entries, key x'7f01'") == true, "\(String(describing: error))")
            #expect(store.health.damage?.code == .corrupt && store.fault?.code == .corrupt)
            await expectCode(.corrupt) { try await store.set("good", to: 2) }
            #expect(try await store.setRules(Self.rules, onlyIfNone: true) == false, "a start needs no write")
            await expectCode(.corrupt) { try await store.probe() }
            #expect(try await store.get("good") == 1, "reads go on")
        }
    }

    @Test("a read that meets damage is repeated, and is sound if the second attempt is", arguments: [1, 1 << 20])
    func secondLook(failures: Int) async throws {
        try await withScratchFolder { folder in
            let health = TreeHealth()
            let engine = GuardedEngine(try SQLiteEngine(path: folder + "/tree.sqlite"), health: health)
            try await engine.write { transaction throws(TreeError) in try transaction.put([7], for: [1]) }
            for size in [ReadSize.unknown, .large] {
                let looks = Shared(0)
                let read = Task {
                    try await engine.read(size) { snapshot throws(TreeError) in
                        looks.change { $0 += 1 }
                        guard looks.value > failures else { throw TreeError.corrupt("a page that nobody gave") }
                        return try snapshot.value(for: [1])
                    }
                }
                if failures == 1 {
                    #expect(try await read.value == [7] && health.damage == nil)
                    try await engine.write { transaction throws(TreeError) in try transaction.put([7], for: [1]) }
                } else {
                    await expectCode(.corrupt) { _ = try await read.value }
                    #expect(looks.value > 1 && health.damage?.code == .corrupt)
                }
            }
            await engine.close()
        }
    }

    private static let rules = #"{"rules": {".read": true}}"#

    @Test("a caller's body that reads a snapshot, or decides by it, is repeated as well", arguments: [false, true])
    func secondLookOfBody(decides: Bool) async throws {
        try await withStore(.sqlite) { store in
            let looks = Shared(0)
            let body: @Sendable (TreeSnapshot) throws -> TreeValue? = { snapshot in
                looks.change { $0 += 1 }
                guard looks.value > 1 else { throw TreeError.corrupt("a page that nobody gave") }
                return try snapshot.get("a")
            }
            if decides {
                try await store.transact { snapshot, _ in _ = try body(snapshot) }
            } else {
                _ = try await store.snapshot { try body($0) }
            }
            #expect(looks.value == 2 && store.health.finding == nil)
        }
    }

    @Test("a cancelled wait for damage ends")
    func cancelledWait() async throws {
        try await withStore(.memory) { store in
            let waiting = Task { await store.health.waitForDamage() }
            waiting.cancel()
            await waiting.value
            #expect(store.health.damage == nil)
        }
    }
}
