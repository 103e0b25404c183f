import CSystemSQLite
import Foundation
import TestSupport
import Testing

@testable import Tree

/// The duties of the SQLite engine alone: settings that durability depends on, failing disks, the states of its
/// readers.
@Suite struct SQLiteEngineTests {
    @Test(
        "the writing connection syncs each commit",
        arguments: [("PRAGMA synchronous", "2"), ("PRAGMA journal_mode", "wal"), ("PRAGMA auto_vacuum", "2")])
    func settings(pragma: String, expected: String) async throws {
        try await withSQLiteEngine { engine, _ in
            let value = try await engine.withWriter { writer throws(TreeError) in
                var value: [UInt8] = []
                try SQLiteStatement(pragma, on: try writer.rows().connection).run { row throws(TreeError) in
                    value = Array(row.blob(at: 0))
                    return true
                }
                return value
            }
            #expect(value == Array(expected.utf8))
        }
    }

    @Test("long values are stored apart and removed with their rows; those in rows of earlier versions are replaced")
    func longValues() async throws {
        try await withSQLiteEngine { engine, _ in
            func count(_ query: String) async throws -> Int64? {
                try await engine.withWriter { writer throws(TreeError) in
                    var count: Int64?
                    try SQLiteStatement("SELECT \(query)", on: try writer.rows().connection).run {
                        row throws(TreeError) in
                        count = row.integer(at: 0)
                        return false
                    }
                    return count
                }
            }
            let long = [UInt8](repeating: 7, count: 2_000_000)
            try await engine.write { transaction throws(TreeError) in
                for key: [UInt8] in [[1], [2], [3]] { try transaction.put(long, for: key) }
            }
            #expect(try await count("max(length(value)) FROM entries") == 1)
            #expect(try await count("count(*) FROM long_values") == 3)
            // Versions without the other table wrote rows like these.
            try await engine.withWriter { writer throws(TreeError) in
                try writer.rows().connection.execute(
                    """
                    UPDATE entries SET value = (SELECT value FROM long_values WHERE key = entries.key) WHERE key < x'03';
                    DELETE FROM long_values WHERE key < x'03'
                    """)
            }
            try await engine.write { transaction throws(TreeError) in
                guard try transaction.value(for: [1]) == long else { throw TreeError.corrupt("1") }
                try transaction.put(long, for: [1])
                try transaction.put([1], for: [2])
                try transaction.put([1], for: [3])
            }
            #expect(try await count("max(length(value)) FROM entries") == 1)
            #expect(try await count("count(*) FROM long_values") == 1)
            try await engine.write { transaction throws(TreeError) in try transaction.remove(.all) }
            #expect(try await count("count(*) FROM long_values") == 0)
        }
    }

    @Test("a commit that the disk refuses is rolled back, and the engine keeps working")
    func failedCommit() async throws {
        try await withSQLiteEngine { engine, path in
            try await engine.write { transaction throws(TreeError) in try transaction.put([1], for: [1]) }
            let fault = SyncFault()
            try await engine.withWriter { writer throws(TreeError) in
                fault.begin(.log, on: try writer.rows().connection)
            }
            for _ in 0..<2 {
                let error = await expectCode(.io) {
                    try await engine.write { transaction throws(TreeError) in try transaction.put([2], for: [2]) }
                }
                #expect(error?.isTransient == true)
                #expect(try await keys(of: engine) == [[1]])
            }
            try await engine.withWriter { _ in fault.end() }
            try await engine.write { transaction throws(TreeError) in try transaction.put([3], for: [3]) }
            #expect(try await keys(of: engine) == [[1], [3]])
            await engine.close()
            let again = try SQLiteEngine(path: path)
            #expect(try await keys(of: again) == [[1], [3]])
            await again.close()
        }
    }

    @Test("a writer reads its own writes, whichever reader it gets")
    func readersFollow() async throws {
        try await withSQLiteEngine { engine, _ in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<8 as Range<UInt8> {
                    tasks.addTask {
                        for round in 0..<100 as Range<UInt8> {
                            try await engine.write { transaction throws(TreeError) in
                                try transaction.put([round], for: [writer])
                            }
                            let read = try await engine.read { snapshot throws(TreeError) in
                                try snapshot.value(for: [writer])
                            }
                            #expect(read == [round])
                        }
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test("a read whose task is cancelled stops halfway, and the next one works")
    func cancelledRead() async throws {
        try await withSQLiteEngine { engine, _ in
            try await engine.write { transaction throws(TreeError) in try transaction.put([], for: [1]) }
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let read = Task {
                try await engine.read { snapshot throws(TreeError) in
                    begin.finish()
                    while true { _ = try snapshot.value(for: [1]) }
                }
            }
            for await _ in begun {}
            read.cancel()
            await expectCode(.cancelled) { try await read.value }
            #expect(try await keys(of: engine) == [[1]])
        }
    }

    @Test("a small read never waits for large ones, however many there are")
    func lanes() async throws {
        try await withSQLiteEngine { engine, _ in
            try await engine.write { transaction throws(TreeError) in
                for number in 0..<5000 as Range<UInt16> {
                    try transaction.put([1], for: [UInt8(number >> 8), UInt8(number & 0xFF)])
                }
            }
            let gate = Semaphore()
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<12 {
                    tasks.addTask {
                        try await engine.read { snapshot throws(TreeError) in
                            var count = 0
                            try snapshot.scan(.all, reverse: false) { _, _ in
                                count += 1
                                if count == 4000 {
                                    gate.wait()
                                    gate.signal()
                                }
                                return true
                            }
                            return count
                        }
                    }
                }
                for _ in 0..<20 {
                    let value = try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: [0, 7]) }
                    #expect(value == [1])
                    await Task.yield()
                }
                gate.signal()
                for try await count in tasks { #expect(count == 5000, "a read that is begun anew counts once") }
            }
        }
    }

    @Test("the log stays bounded while writers and readers continue")
    func logIsBounded() async throws {
        try await withSQLiteEngine { engine, path in
            let value = [UInt8](repeating: 7, count: 1 << 20)
            let longest = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for task in 0..<4 as Range<UInt8> {
                    tasks.addTask {
                        var longest = 0
                        for _ in 0..<25 {
                            try await engine.write { transaction throws(TreeError) in
                                try transaction.put(value, for: [task])
                            }
                            _ = try await engine.read { snapshot throws(TreeError) in
                                try snapshot.value(for: [task])?.count
                            }
                            longest = max(longest, try Data(contentsOf: URL(filePath: path + "-wal")).count)
                        }
                        return longest
                    }
                }
                return try await tasks.reduce(0, max)
            }
            #expect(longest > 1 << 20 && longest < 64 << 20)
        }
    }

    private func withSQLiteEngine(_ body: (SQLiteEngine, String) async throws -> Void) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let engine = try SQLiteEngine(path: path)
            do {
                try await body(engine, path)
            } catch {
                await engine.close()
                throw error
            }
            await engine.close()
        }
    }
}
