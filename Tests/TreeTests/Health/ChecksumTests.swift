import CSystemSQLite
import Foundation
import TestSupport
import Testing

@testable import Tree

/// Bytes that changed on the disk are detected: no read returns a value that was not written.
@Suite(.timeLimit(.minutes(20))) struct ChecksumTests {
    @Test("a text that changed on the disk is never served, and its neighbours still are")
    func changedText() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            try await Self.fill(path, ["a": "before", "b": "a text that is the only one", "c": "after"])
            try Self.replace(
                "a text that is the only one", by: "a text that is another one!", in: path, onlyLast: true)
            let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
            #expect(try await store.get("a") == "before" && store.health.damage == nil)
            let error = await expectCode(.corrupt) { _ = try await store.get("b") }
            #expect(error?.path == "b", "it names the place")
            #expect(store.health.damage == nil && store.health.damagedRows.map(\.path) == ["b"])
            await expectCode(.corrupt) { _ = try await store.snapshot { try $0.json(of: .root) } }
            #expect(try await store.get("c") == "after")
            await store.close()
        }
    }

    @Test("damage that no read meets is found in the background, also in the last row and in the change log")
    func backgroundCheck() async throws {
        for text in ["the very first text", "text 77 of many", "the very last text"] {
            try await withScratchFolder { folder in
                let path = folder + "/tree.sqlite"
                var values: [TreeKey: TreeValue] = ["0": "the very first text", "z": "the very last text"]
                for number in 1..<100 { values[try TreeKey("k\(number)")] = .string("text \(number) of many") }
                try await Self.fill(path, .object(values))
                try Self.replace(text, by: String(text.reversed()), in: path, onlyLast: text.contains("77"))
                let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
                await expectCode(.corrupt) { try await store.healthCheck.round() }
                #expect(store.health.finding?.code == .corrupt)
                await store.close()
            }
        }
    }

    @Test("a store checks itself in the background when it opens")
    func beginsByItself() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            try await Self.fill(path, ["a": "x", "m": "a text in the middle", "z": "x"])
            try Self.replace("a text in the middle", by: "a word in the middle", in: path)
            let store = try await TreeStore(engine: try SQLiteEngine(path: path))
            await store.health.waitForDamage()
            await store.close()
        }
    }

    @Test(
        "if any bytes of a database change, a read returns the written value or an error, and the damage is found",
        arguments: 0..<12)
    func flippedBytes(seed: UInt64) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            var random = SeededGenerator(seed: seed)
            var values: [TreeKey: TreeValue] = [:]
            for number in 0..<150 {
                values[try TreeKey("key\(number)")] = .string(String(repeating: "the text of \(number) ", count: 30))
            }
            try await Self.fill(path, .object(values))
            var bytes = try Data(contentsOf: URL(filePath: path))
            // Page 1 decides whether the file is a database at all.
            let count = [1, 1, 4, 200][Int(seed % 4)]
            for _ in 0..<count {
                bytes[Int.random(in: 4096..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            try bytes.write(to: URL(filePath: path))
            guard let engine = try? SQLiteEngine(path: path) else { return }
            let store: TreeStore
            do {
                store = try await TreeStore(engine: engine, isMaintained: false)
            } catch {
                #expect((error as? TreeError)?.code == .corrupt)
                return await engine.close()
            }
            for (key, value) in values {
                if let found = try? await store.get(TreePath([key])) { #expect(found == value, "\(key)") }
            }
            try? await store.healthCheck.round()
            if store.health.finding == nil { #expect(try await store.get(.root) == .object(values)) }
            await store.close()
        }
    }

    @Test("a database without its end is reported as damaged", arguments: [4096, 8192, 40960])
    func cutDatabase(missingBytes: UInt64) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            var values: [TreeKey: TreeValue] = [:]
            for number in 0..<500 { values[try TreeKey("key\(number)")] = .string("the text of \(number)") }
            try await Self.fill(path, .object(values))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: try file.seekToEnd() - missingBytes)
            try file.close()
            await expectCode(.corrupt) {
                let engine = try SQLiteEngine(path: path)
                do {
                    let store = try await TreeStore(engine: engine, isMaintained: false)
                    try? await store.healthCheck.round()
                    await engine.close()
                    try store.health.check()
                } catch {
                    await engine.close()
                    throw error
                }
            }
        }
    }

    @Test("a store from before the checksums opens, is read and written, and older programs can still read it")
    func olderStore() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            try await Self.fill(path, ["a": "old", "b": "old too"])
            try Self.execute(
                """
                CREATE TABLE older (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                INSERT INTO older SELECT key, value FROM entries;
                DROP TABLE entries;
                ALTER TABLE older RENAME TO entries;
                """, on: path)
            for round in 1...2 as ClosedRange<Int64> {
                let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
                #expect(try await store.get("a") == "old")
                try await store.set("b", to: .integer(round))
                try await store.healthCheck.round()
                #expect(store.health.damage == nil)
                await store.close()
                // An older program writes rows like this.
                try Self.execute("REPLACE INTO entries (key, value) SELECT key, value FROM entries LIMIT 3", on: path)
            }
            try Self.replace("old", by: "odd", in: path)
            let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
            #expect(try await store.get("a") == "odd", "it has no checksum")
            await store.close()
        }
    }

    // MARK: Helpers

    private static func fill(_ path: String, _ value: TreeValue) async throws {
        let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
        try await store.set(.root, to: value)
        await store.close()
    }

    /// Replaces a text in a file, either everywhere or only its last occurrence. The last one is in the rows, which
    /// SQLite puts into a page from its end, and not in the change log, which is written after them.
    private static func replace(
        _ text: String, by other: String, in path: String, onlyLast: Bool = false
    ) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let places = sequence(
            state: bytes.startIndex,
            next: { start -> Range<Data.Index>? in
                guard let found = bytes[start...].range(of: Data(text.utf8)) else { return nil }
                start = found.upperBound
                return found
            })
        let found = Array(places)
        try #require(!found.isEmpty)
        for place in onlyLast ? [found[found.count - 1]] : found {
            bytes.replaceSubrange(place, with: Data(other.utf8))
        }
        try bytes.write(to: URL(filePath: path))
    }

    private static func execute(_ sql: String, on path: String) throws {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try connection.execute(sql)
    }
}
