import Synchronization
import TestSupport
import Testing

@testable import Tree

@Suite struct ChangeLogTests {
    @Test("changes are read in order, whole, and page by page", arguments: EngineKind.allCases)
    func order(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, retention: ChangeRetention(count: 100), clock: { 1_234 })
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
            #expect(changes.allSatisfy { $0.timestamp == 1_234 })
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

    @Test("a change of any length is read as it was written", arguments: EngineKind.allCases)
    func lengths(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let texts = [0, 900, 960, 1_919, 122_700, 122_900, 140_000, 3_000_000].map {
                String(repeating: "é", count: $0 / 2)
            }
            for text in texts { try await store.set("a", to: ["text": .string(text), "number": 1]) }
            let changes = try await store.changes(since: .start, limit: 100)
            #expect(
                changes.map(\.writes)
                    == texts.map { [TreeWrite(path: "a", value: ["text": .string($0), "number": 1])] })
        }
    }

    @Test("replaying the log reproduces the tree", arguments: EngineKind.allCases)
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

    @Test("a trimmed token is refused; one that is kept is accepted", arguments: EngineKind.allCases)
    func trimming(kind: EngineKind) async throws {
        try await withStore(kind, retention: ChangeRetention(count: 16)) { store throws in
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

    @Test("changes that are too old are deleted, but never the last one", arguments: EngineKind.allCases)
    func ageing(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let now = Mutex<Timestamp>(0)
            let store = try await TreeStore(
                engine: engine, retention: ChangeRetention(ageMilliseconds: 80), clock: { now.withLock { $0 } })
            for number: Int64 in 1...50 {
                now.withLock { $0 = Timestamp(milliseconds: number * 10) }
                try await store.set("n", to: .integer(number))
                let kept = try await store.changes(since: SyncToken(sequence: UInt64(max(0, number - 8))), limit: 100)
                #expect(kept.count == min(Int(number), 8))
            }
            await expectCode(.tokenTooOld) { _ = try await store.changes(since: .start, limit: 1) }
            now.withLock { $0 = 1_000_000 }
            try await store.set("n", to: "last")
            #expect(try await store.token.sequence == 51)
            try await store.set("n", to: "one more")
            #expect(try await store.token.sequence == 52)
        }
    }

    /// Returns the bytes of all rows of the log.
    private func logBytes(of engine: any Engine) async throws -> Int {
        try await engine.read { snapshot throws(TreeError) in
            var sum = 0
            let log = ByteRange(from: [StoreFormat.changeLogKeyspace], upTo: [StoreFormat.changeLogKeyspace + 1])
            try snapshot.scan(log, reverse: false) { key, row throws(TreeError) in
                sum += key.count + row.count
                return true
            }
            return sum
        }
    }

    @Test("the log never exceeds its limit, and loses its oldest changes first", arguments: EngineKind.allCases)
    func size(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            func open(_ byteCount: Int) async throws -> TreeStore {
                try await TreeStore(
                    engine: engine, retention: ChangeRetention(byteCount: byteCount), isMaintained: false)
            }
            let text = String(repeating: "x", count: 2000)
            var store = try await open(160_000)
            for number in 1...300 {
                try await store.set("n", to: .string("\(text)\(number)"))
                guard number % 100 == 0 else { continue }
                while try await store.trimmer.pass() {}
                let kept = try await logBytes(of: engine)
                #expect(kept > 120_000 && kept <= 160_000, "\(number): \(kept)")
            }
            await expectCode(.tokenTooOld) { _ = try await store.changes(since: .start, limit: 1) }
            #expect(try await store.changes(since: SyncToken(sequence: 250), limit: 100).count == 50)

            // The rows of an earlier run count as well.
            store = try await open(80_000)
            while try await store.trimmer.pass() {}
            #expect(try await logBytes(of: engine) <= 80_000)
            await expectCode(.tokenTooOld) { _ = try await store.changes(since: SyncToken(sequence: 250), limit: 100) }
            #expect(try await store.changes(since: SyncToken(sequence: 280), limit: 100).count == 20)

            // The last change stays, however large it is, and is deleted with the next one.
            try await store.set("n", to: .string(String(repeating: text, count: 200)))
            while try await store.trimmer.pass() {}
            #expect(try await store.changes(since: SyncToken(sequence: 300), limit: 100).count == 1)
            try await store.set("n", to: 1)
            while try await store.trimmer.pass() {}
            #expect(try await store.changes(since: SyncToken(sequence: 301), limit: 100).count == 1)
            await expectCode(.tokenTooOld) { _ = try await store.changes(since: SyncToken(sequence: 300), limit: 1) }
            #expect(try await store.get("n") == 1)
        }
    }

    @Test("a store trims its log by itself during writes", arguments: EngineKind.allCases)
    func sizeByItself(kind: EngineKind) async throws {
        try await withStore(kind, retention: ChangeRetention(byteCount: 64_000)) { store in
            let text = String(repeating: "x", count: 8000)
            for number in 1...30 { try await store.set("n", to: .string("\(text)\(number)")) }
            try await eventually {
                do {
                    _ = try await store.changes(since: .start, limit: 1)
                    return false
                } catch let error as TreeError {
                    return error.code == .tokenTooOld
                }
            }
            #expect(try await store.changes(since: SyncToken(sequence: 29), limit: 2).count == 1)
        }
    }

    @Test("a page contains the changes at a path, and the token of the next page", arguments: EngineKind.allCases)
    func pages(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, clock: { 1_234 })
            let texts: [(JSONUpdate.Form, TreePath, String)] = [
                (.value, "a", #"{"b":{"c":1},"é":[1]}"#), (.value, "x", "1"), (.update, "", #"{"a/b":null,"x":2}"#),
                (.value, "", #"{"a":{"b":3}}"#), (.priority, "a/b", "7"), (.value, "a/b/d/e", "true"),
            ]
            for (form, path, text) in texts { try await store.update(try JSONUpdate(form, at: path, json: text.utf8)) }
            let other = TreePath(["a"], in: try Namespace("other"))
            try await store.set(other, to: 1)
            let expected = [
                #"{"token":"1","timestamp":1234,"writes":[{"path":"/a/b","value":{"c":1}}]}"#,
                #"{"token":"3","timestamp":1234,"writes":[{"path":"/a/b","value":null}]}"#,
                #"{"token":"4","timestamp":1234,"writes":[{"path":"/a/b","value":3}]}"#,
                #"{"token":"5","timestamp":1234,"writes":[{"path":"/a/b/.priority","value":7}]}"#,
                #"{"token":"6","timestamp":1234,"writes":[{"path":"/a/b/d/e","value":true}]}"#,
            ]
            for limit in 1...6 {
                var texts: [String] = []
                var token = SyncToken.start
                while true {
                    let page = try await store.changePage(since: token, at: "a/b", limit: limit)
                    texts += page.entries.map { String(decoding: $0.json, as: UTF8.self) }
                    token = page.next
                    #expect(page.entries.count <= limit)
                    if !page.hasMore { break }
                }
                #expect(texts == expected)
                #expect(token.sequence == 7)
            }
            let page = try await store.changePage(since: .start, at: other, limit: 10)
            #expect(
                page.entries.map { String(decoding: $0.json, as: UTF8.self) } == [
                    #"{"token":"7","timestamp":1234,"writes":[{"path":"/a","value":1}]}"#
                ])
        }
    }

    @Test(.timeLimit(.minutes(20))) func waiting() async throws {
        try await withStore(.memory) { store in
            try await store.set("n", to: 1)
            await store.waitForChange(after: .start)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<4 { tasks.addTask { await store.waitForChange(after: SyncToken(sequence: 1)) } }
                try await store.set("n", to: 2)
                try await tasks.waitForAll()
                tasks.addTask { await store.waitForChange(after: SyncToken(sequence: 2)) }
                tasks.cancelAll()
                try await tasks.waitForAll()
                tasks.addTask { await store.waitForChange(after: SyncToken(sequence: 2)) }
                await store.close()
                try await tasks.waitForAll()
            }
        }
    }
}
