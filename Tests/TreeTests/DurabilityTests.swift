import Foundation
import Testing

@testable import Tree

@Suite struct DurabilityTests {
    @Test("written values are there when the file is opened again")
    func reopen() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let store = try await TreeStore(engine: try SQLiteEngine(path: path))
            try await store.set("a", to: ["b": 1])
            let token = try await store.set("c", to: "é")
            // A connection for reading is open as well, and must not be the last one to close.
            #expect(try await store.get("c") == "é")
            await store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["tree.sqlite"])
            let again = try await TreeStore(engine: try SQLiteEngine(path: path))
            #expect(try await again.get(.root) == ["a": ["b": 1], "c": "é"])
            #expect(try await again.set("d", to: 1).sequence == token.sequence + 1)
            await again.close()
        }
    }

    /// A killed process leaves the files as they are at that moment.
    @Test("B30: an acknowledged update is in the files at once")
    func answeredIsOnDisk() async throws {
        try await withScratchFolder { folder in
            let store = try await TreeStore(engine: try SQLiteEngine(path: folder + "/tree.sqlite"))
            for round in 1...20 as ClosedRange<Int64> {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for key: TreeKey in ["x", "y", "z"] {
                        tasks.addTask { _ = try await store.set(TreePath([key]), to: .integer(round)) }
                    }
                    try await tasks.waitForAll()
                }
                let copy = folder + "/copy\(round).sqlite"
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: folder + "/tree.sqlite" + suffix, toPath: copy + suffix)
                }
                let copied = try await TreeStore(engine: try SQLiteEngine(path: copy))
                #expect(
                    try await copied.get(.root) == ["x": .integer(round), "y": .integer(round), "z": .integer(round)])
                await copied.close()
            }
            await store.close()
        }
    }

    @Test("only the owner can access the files")
    func fileModes() async throws {
        try await withScratchFolder { folder in
            let store = try await TreeStore(engine: try SQLiteEngine(path: folder + "/tree.sqlite"))
            try await store.set("a", to: 1)
            for name in ["tree.sqlite", "tree.sqlite-wal", "tree.sqlite-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await store.close()
        }
    }

    @Test("a store of a newer format, or without one, is refused", arguments: EngineKind.allCases)
    func formats(kind: EngineKind) async throws {
        let rows: [([UInt8], [UInt8], TreeError.Code)] = [
            (StoreFormat.versionKey, [4], .unsupportedFormat),
            (StoreFormat.versionKey, [1, 0], .unsupportedFormat),
            (StoreFormat.dataKey("a"), [1], .corrupt),
        ]
        for (key, value, code) in rows {
            try await withEngine(kind) { engine in
                try await engine.write { transaction throws(TreeError) in try transaction.put(value, for: key) }
                await expectCode(code) { _ = try await TreeStore(engine: engine) }
            }
        }
    }

    @Test("damaged rows are an error, never a trap", arguments: EngineKind.allCases)
    func damagedRows(kind: EngineKind) async throws {
        let a = StoreFormat.dataKey("a")
        let rows: [([UInt8], [UInt8])] = [
            (a, []), (a, [9]), (a + [0x33], [1]), (a + [0x20, 0x2E, 0], [1]), (a + [0x10, 2], [1]),
        ]
        for (key, value) in rows {
            try await withEngine(kind) { engine in
                let store = try await TreeStore(engine: engine)
                try await engine.write { transaction throws(TreeError) in
                    try transaction.put(value, for: key)
                    try transaction.put([1, 2, 3], for: [StoreFormat.changeLogKeyspace] + [0, 0, 0, 0, 0, 0, 0, 1])
                }
                await expectCode(.corrupt) { _ = try await store.get("a") }
                await expectCode(.corrupt) { _ = try await store.children(of: .root) }
                await expectCode(.corrupt) { _ = try await store.changes(since: .start, limit: 1) }
            }
        }
    }

    @Test("a change log that has run out of numbers refuses updates, and does not trap", arguments: EngineKind.allCases)
    func lastSequence(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine)
            let lastRow = [StoreFormat.changeLogKeyspace] + [UInt8](repeating: 0xFF, count: 8)
            try await engine.write { transaction throws(TreeError) in try transaction.put([0], for: lastRow) }
            await expectCode(.corrupt) { try await store.set("a", to: 1) }
            #expect(try await store.get("a") == nil)
        }
    }

    @Test("files that are not stores are refused")
    func badFiles() async throws {
        try await withScratchFolder { folder in
            try Data("this is no database, and long enough to be one".utf8).write(to: URL(filePath: folder + "/text"))
            await expectCode(.corrupt) { _ = try SQLiteEngine(path: folder + "/text") }
            await expectCode(.cannotOpen) { _ = try SQLiteEngine(path: folder + "/missing/tree.sqlite") }
            await expectCode(.cannotOpen) { _ = try SQLiteEngine(path: folder) }
        }
    }

    @Test(
        "SQLite's codes become codes of the tree",
        arguments: [
            (13, .diskFull, true), (10, .io, true), (1034, .io, true), (3082, .outOfMemory, true), (5, .busy, true),
            (261, .busy, true), (8, .readOnly, true), (11, .corrupt, false), (26, .corrupt, false),
            (14, .cannotOpen, false), (18, .tooLarge, false), (9, .cancelled, false), (1, .engine, false),
        ] as [(Int32, TreeError.Code, Bool)])
    func codes(sqliteCode: Int32, code: TreeError.Code, isTransient: Bool) {
        let error = TreeError(sqliteCode: sqliteCode, message: "text")
        #expect(error.code == code && error.isTransient == isTransient && error.description.contains("text"))
    }
}
