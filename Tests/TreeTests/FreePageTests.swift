import Foundation
import TestSupport
import Testing

@testable import Tree

/// The unused pages of a database.
@Suite(.timeLimit(.minutes(10))) struct FreePageTests {
    @Test("the space of deleted values is returned to the file system during other writes, and nothing else is lost")
    func freePages() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let engine = try SQLiteEngine(path: path, restartPages: 200, maxFreePages: 64)
            func size() throws -> Int {
                try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            }
            @Sendable func key(_ row: Int) -> [UInt8] { [1, UInt8(row / 256), UInt8(row % 256)] }
            @Sendable func value(_ row: Int) -> [UInt8] { [UInt8](repeating: UInt8(row % 251), count: 10_000) }
            for start in stride(from: 0, to: 2000, by: 100) {
                try await engine.write { transaction throws(TreeError) in
                    for row in start..<start + 100 { try transaction.put(value(row), for: key(row)) }
                }
            }
            var round = 0
            func write() async throws {
                try await engine.write { [round] transaction throws(TreeError) in
                    try transaction.put([UInt8(round % 256)], for: [2])
                }
                round += 1
            }
            try await eventually {
                try await write()
                return try size() > 20_000_000
            }
            // These values are at the beginning of the file, so the others have to move there.
            try await engine.write { transaction throws(TreeError) in
                try transaction.remove(ByteRange(from: [1], upTo: key(1500)))
            }
            try await eventually(seen: { try size() }) {
                try await write()
                return try size() < 8_000_000
            }
            func check(_ engine: SQLiteEngine) async throws {
                try await engine.checkStructure()
                #expect(try await keys(of: engine) == (1500..<2000).map(key) + [[2]])
                for row in stride(from: 1500, to: 2000, by: 7) {
                    let found = try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: key(row))
                    }
                    #expect(found == value(row))
                }
            }
            try await check(engine)
            await engine.close()
            let again = try SQLiteEngine(path: path)
            try await check(again)
            await again.close()
        }
    }

    @Test("a database of an earlier version keeps its free pages for later writes")
    func keptPages() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            do {
                let connection = try SQLiteConnection(path: path, mode: .readWrite)
                try connection.execute("PRAGMA journal_mode = WAL")
                try SQLiteTable.make(on: connection)
            }
            let engine = try SQLiteEngine(path: path, restartPages: 200, maxFreePages: 1)
            for count in [500_000, 10] {
                try await engine.write { transaction throws(TreeError) in
                    try transaction.put([UInt8](repeating: 7, count: count), for: [1])
                }
            }
            let (mode, free) = try await engine.withWriter { writer throws(TreeError) in
                let connection = try writer.rows().connection
                return (try connection.number("auto_vacuum"), try connection.number("freelist_count"))
            }
            #expect(mode == 0 && free > 100)
            #expect(try await engine.withWriter { writer in writer.returnFreePages() } == false)
            let found = try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: [1]) }
            #expect(found == [UInt8](repeating: 7, count: 10))
            await engine.close()
        }
    }
}
