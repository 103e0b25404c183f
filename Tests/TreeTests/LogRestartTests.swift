import Foundation
import TestSupport
import Testing

@testable import Tree

/// The write-ahead log restarts before it is long, also while there are readers.
@Suite("Restart of the log", .timeLimit(.minutes(20)))
struct LogRestartTests {
    @Test("the log restarts even if there is a reader at every moment, and everything is there after a crash")
    func restart() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let engine = try SQLiteEngine(path: path, restartPages: 200)
            let isWriting = Shared(true)
            var restarts = 0
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                // One read per reader thread; each starts its next read as soon as the last one has ended.
                for size in [ReadSize.unknown, .unknown, .large, .large] {
                    tasks.addTask {
                        while isWriting.value {
                            try await engine.read(size) { snapshot throws(TreeError) in
                                for _ in 0..<500 { _ = try snapshot.value(for: [0]) }
                            }
                        }
                    }
                }
                // Each update writes at least five pages; without a restart, the log would have all of them at the end.
                var (round, length) = (0, 0)
                while restarts < 3 && round < 20_000 || round < 50 {
                    try await engine.write { [round] transaction throws(TreeError) in
                        try transaction.put(
                            [UInt8](repeating: UInt8(round & 255), count: 20_000), for: [UInt8(round % 50)])
                    }
                    if engine.logBytes < length { restarts += 1 }
                    (round, length) = (round + 1, engine.logBytes)
                }
                isWriting.change { $0 = false }
                try await tasks.waitForAll()
            }
            #expect(restarts >= 3)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: folder + "/cut" + suffix)
            }
            let again = try SQLiteEngine(path: folder + "/cut")
            let found = try await keys(of: again).count
            #expect(found == 50)
            await again.close()
            await engine.close()
        }
    }

    @Test("a long read delays neither writers nor other long reads while the log is about to restart")
    func longRead() async throws {
        try await withScratchFolder { folder in
            let engine = try SQLiteEngine(path: folder + "/tree.sqlite", restartPages: 200) {}
            let (gate, begun) = (Semaphore(), Semaphore())
            let value = [UInt8](repeating: 7, count: 20_000)
            @Sendable func write(_ count: Int) async throws {
                for round in 0..<count {
                    try await engine.write { transaction throws(TreeError) in
                        try transaction.put(value, for: [UInt8(round % 50)])
                    }
                }
            }
            try await write(50)
            async let long = engine.read(.large) { snapshot throws(TreeError) in
                begun.signal()
                gate.wait()
                return try snapshot.value(for: [0])
            }
            _ = try await engine.read(.large) { _ throws(TreeError) in begun.wait() }
            try await write(100)
            #expect(
                try await engine.read(.large) { snapshot throws(TreeError) in try snapshot.value(for: [1]) } == value)
            #expect(engine.logBytes > 400 * 4096, "it cannot begin anew beneath a read")
            gate.signal()
            #expect(try await long == value)
            try await eventually {
                try await write(10)
                return engine.logBytes < 200 * 4096
            }
            await engine.close()
        }
    }

    @Test("Transactions wait while a long log restarts, and no longer")
    func slowdown() async throws {
        try await withScratchFolder { folder in
            let (gate, begun, pauses) = (Semaphore(), Semaphore(), Shared(0))
            let engine = try SQLiteEngine(path: folder + "/tree.sqlite", restartPages: 200) {
                pauses.change { $0 += 1 }
            }
            @Sendable func write() async throws {
                try await engine.write { transaction throws(TreeError) in
                    try transaction.put([UInt8](repeating: 7, count: 20_000), for: [0])
                }
            }
            try await write()
            async let long = engine.read(.large) { snapshot throws(TreeError) in
                begun.signal()
                gate.wait()
                return try snapshot.value(for: [0])?.count
            }
            _ = try await engine.read(.large) { _ throws(TreeError) in begun.wait() }
            try await eventually {
                try await write()
                return pauses.value > 0
            }
            #expect(engine.logBytes >= 400 * 4096, "twice as long as it should be")
            gate.signal()
            #expect(try await long == 20_000)
            try await eventually {
                try await write()
                return engine.logBytes < 200 * 4096
            }
            let last = pauses.value
            try await write()
            #expect(pauses.value == last)
            await engine.close()
        }
    }
}
